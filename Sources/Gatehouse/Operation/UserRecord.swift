/// A user as operators see them.
package struct UserRecord: Sendable, Equatable {
    package let user: User
    package let updatedAt: Timestamp
    package let lastLoginAt: Timestamp?
    package let lastLoginProvider: Provider?
    /// The ways they have of signing in.
    package let providers: [Provider]

    package init(
        user: User, updatedAt: Timestamp, lastLoginAt: Timestamp?, lastLoginProvider: Provider?, providers: [Provider]
    ) {
        self.user = user
        self.updatedAt = updatedAt
        self.lastLoginAt = lastLoginAt
        self.lastLoginProvider = lastLoginProvider
        self.providers = providers
    }
}
