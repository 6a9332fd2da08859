/// What the store knows about a user to be imported.
package struct ImportFacts: Sendable, Equatable {
    /// The user of each identity, in the order of the identities.
    package let owners: [UserID?]
    /// The status of the user who has the id of the line; nil if there is none.
    package let statusOfID: UserStatus?
    /// The disabled user from whom one of the identities was removed.
    package let barredFrom: UserID?

    package init(owners: [UserID?], statusOfID: UserStatus? = nil, barredFrom: UserID? = nil) {
        self.owners = owners
        self.statusOfID = statusOfID
        self.barredFrom = barredFrom
    }
}

package enum ImportDecision: Sendable, Equatable {
    case create(NewUser)
    /// The user has one of the identities already. Nothing changes.
    case exists(UserID)
    case refuse(LineFault)
}

/// An imported user as it is written.
package struct NewUser: Sendable, Equatable {
    package let user: User
    package let lastLoginAt: Timestamp?
    package let accounts: [LinkedAccount]
}

extension ImportedUser {
    /// - Parameter makeID: makes the id of a user created at a time, for a line without an id that can be kept.
    package func decide(on facts: ImportFacts, makeID: (Timestamp) -> UserID) -> ImportDecision {
        let owners = Set(facts.owners.compactMap(\.self))
        if owners.count > 1 {
            return .refuse(LineFault("identities", "belong to different users" + Self.listed(owners)))
        }
        if let owner = owners.first { return .exists(owner) }
        if let user = facts.barredFrom {
            return .refuse(
                LineFault(
                    "identities",
                    "belong to a disabled user whose account was removed: gatehouse users enable \(user.text)"
                ))
        }
        if facts.statusOfID == .deleted {
            return .refuse(
                LineFault("id", "belongs to a user who was deleted here, and does not come back by an import"))
        }
        return .create(newUser(facts.statusOfID == nil ? id : nil, makeID: makeID))
    }

    /// Without the users of a dry run, which do not exist.
    private static func listed(_ users: Set<UserID>) -> String {
        let ids = users.map(\.text).filter { $0.hasPrefix("user_") }.sorted()
        return ids.isEmpty ? "" : ": " + ids.joined(separator: ", ")
    }

    private func newUser(_ id: UserID?, makeID: (Timestamp) -> UserID) -> NewUser {
        let user = User(
            id: id ?? makeID(createdAt), email: email, emailVerified: emailVerified,
            phone: identities.first { $0.identity.provider == .phone }?.identity.subject, nickname: nickname,
            avatarURL: avatarURL, role: role, status: status, onboardingCompleted: onboardingCompleted,
            createdAt: createdAt)
        let accounts = identities.map { LinkedAccount($0.identity, linkedAt: $0.linkedAt ?? createdAt) }
        return NewUser(user: user, lastLoginAt: lastLoginAt, accounts: accounts)
    }
}
