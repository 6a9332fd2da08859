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
    package var attributes = Attributes.none
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
    /// Of the identity at `PASSKEY`. Their ids are not made yet.
    package var passkeys: [Passkey] = []
}

/// What a line may contain.
package struct ImportRules: Sendable {
    /// Whether a line may give a role other than USER.
    package let permitsRoles: Bool
    package let attributes: AttributePolicy
    package let now: Timestamp

    package init(permitsRoles: Bool, attributes: AttributePolicy = AttributePolicy(), now: Timestamp) {
        (self.permitsRoles, self.attributes, self.now) = (permitsRoles, attributes, now)
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

/// The order in which the users of many lines are imported.
///
/// They are sorted as their ids will be, so that a transaction changes few pages of the database. A line that shares an
/// identity with an earlier one comes after all others: the first line creates the user.
package struct ImportOrder {
    /// Positions of the users.
    package let positions: [Int]

    package init(_ users: [ImportedUser]) {
        var names: Set<[UInt8]> = []
        var (first, later) = ([(key: String, position: Int)](), [Int]())
        first.reserveCapacity(users.count)
        for (position, user) in users.enumerated() {
            var isRepeated = false
            for name in user.identities.flatMap({ ImportedSoFar.names(of: $0.identity) })
            where !names.insert(name).inserted { isRepeated = true }
            if isRepeated { later.append(position) } else { first.append((user.placeKey, position)) }
        }
        first.sort { ($0.key, $0.position) < ($1.key, $1.position) }
        positions = first.map(\.position) + later
    }
}

/// The identities and ids of the users that lines before this one create, which the database does not have yet.
struct ImportedSoFar {
    private var owners: [[UInt8]: UserID] = [:]
    private var ids: Set<String> = []

    /// The facts about a user, with what earlier lines add.
    func adding(to facts: ImportFacts, of user: ImportedUser) -> ImportFacts {
        let owners = zip(user.identities, facts.owners).map { imported, owner in
            owner ?? Self.names(of: imported.identity).lazy.compactMap { self.owners[$0] }.first
        }
        let isTaken = user.id.map { ids.contains($0.text) } ?? false
        return ImportFacts(
            owners: owners, statusOfID: facts.statusOfID ?? (isTaken ? .active : nil), barredFrom: facts.barredFrom,
            hasKnownPasskey: facts.hasKnownPasskey)
    }

    mutating func add(_ new: NewUser, from user: ImportedUser) {
        ids.insert(new.user.id.text)
        for imported in user.identities {
            for name in Self.names(of: imported.identity) { owners[name] = new.user.id }
        }
    }

    /// The names under which the store finds an identity. As bytes, because texts are compared by canonical equivalence.
    static func names(of identity: Identity) -> [[UInt8]] {
        let names = [
            "subject " + identity.subject, identity.transferSubject.map { "transfer " + $0 },
            identity.unionSubject.map { "union " + $0 },
        ]
        return names.compactMap(\.self).map { Array((identity.provider.rawValue + " " + $0).utf8) }
    }
}

/// A user as an export writes them: what an import reads, and no secret.
package struct ExportedUser: Sendable, Equatable {
    package let user: User
    package let lastLoginAt: Timestamp?
    /// The oldest first.
    package let accounts: [LinkedAccount]
    package let passkeys: [Passkey]

    package init(user: User, lastLoginAt: Timestamp?, accounts: [LinkedAccount], passkeys: [Passkey] = []) {
        (self.user, self.lastLoginAt, self.accounts, self.passkeys) = (user, lastLoginAt, accounts, passkeys)
    }
}

extension Administration {
    /// The next users that are not deleted, sorted by id.
    package func exportedUsers(after last: UserID?, limit: Int) throws(Refusal) -> [ExportedUser] {
        try store.exportedUsers(after: last, limit: limit)
    }
}
