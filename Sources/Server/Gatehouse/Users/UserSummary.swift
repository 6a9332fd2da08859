/// A user as other services see them.
package struct UserSummary: Sendable, Equatable {
    package let user: User
    package let updatedAt: Timestamp
    package let lastLoginAt: Timestamp?

    package init(user: User, updatedAt: Timestamp, lastLoginAt: Timestamp?) {
        self.user = user
        self.updatedAt = updatedAt
        self.lastLoginAt = lastLoginAt
    }
}
