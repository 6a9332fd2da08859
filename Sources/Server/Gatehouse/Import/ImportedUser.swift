/// A user from a line that has been checked.
package struct ImportedUser: Sendable, Equatable {
    /// The id that the user has in another installation; nil to make one.
    package let id: UserID?
    package let reference: String?
    /// At least one, and no two of one provider.
    package internal(set) var identities: [ImportedIdentity]
    package let email: String?
    package let emailVerified: Bool
    package let nickname: String?
    package let avatarURL: String?
    package let role: Role
    package let status: UserStatus
    package let onboardingCompleted: Bool
    package let createdAt: Timestamp
    package let lastLoginAt: Timestamp?
}

extension ImportedUser {
    /// By it, users are sorted as their ids will be: neighbours are written to the same pages of the database.
    var placeKey: String {
        id?.text ?? ULID.make("user", at: createdAt, random: [UInt8](repeating: 0, count: ULID.randomBytes))
    }
}

/// A way to sign in of an imported user.
package struct ImportedIdentity: Sendable, Equatable {
    package let identity: Identity
    /// Nil for the time at which the user was created.
    package let linkedAt: Timestamp?
}

/// What a line may contain.
package struct ImportRules: Sendable {
    /// Whether a line may give a role other than USER.
    package let permitsRoles: Bool
    package let now: Timestamp

    package init(permitsRoles: Bool, now: Timestamp) {
        self.permitsRoles = permitsRoles
        self.now = now
    }

    static let longestReference = 128
    /// Names that Apple gave may be longer than those that users choose.
    static let longestName = 401
    static let longestURL = 2048
    /// OpenID Connect Core 1.0, section 2, limits `sub` to 255 characters.
    static let longestSubject = 255
    static let mostIdentities = 32
    /// The clock of the machine that wrote the file may be ahead.
    static let clockTolerance = Duration.seconds(300)
}
