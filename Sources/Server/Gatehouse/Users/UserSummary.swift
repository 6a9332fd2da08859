/// A user as the operator's services see it.
package struct UserSummary: Sendable, Equatable {
    package let user: User
    package let updatedAt: Timestamp
    /// Nil for a deleted user.
    package let lastLoginAt: Timestamp?

    package init(user: User, updatedAt: Timestamp, lastLoginAt: Timestamp?) {
        self.user = user
        self.updatedAt = updatedAt
        self.lastLoginAt = lastLoginAt
    }
}
