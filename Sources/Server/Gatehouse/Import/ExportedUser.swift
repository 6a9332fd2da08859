/// A user as an export writes them: what an import reads, and no secret.
package struct ExportedUser: Sendable, Equatable {
    package let user: User
    package let lastLoginAt: Timestamp?
    /// The oldest first.
    package let accounts: [LinkedAccount]

    package init(user: User, lastLoginAt: Timestamp?, accounts: [LinkedAccount]) {
        self.user = user
        self.lastLoginAt = lastLoginAt
        self.accounts = accounts
    }
}

extension Administration {
    /// The next users that are not deleted, sorted by id.
    package func exportedUsers(after last: UserID?, limit: Int) throws(Refusal) -> [ExportedUser] {
        try store.exportedUsers(after: last, limit: limit)
    }
}
