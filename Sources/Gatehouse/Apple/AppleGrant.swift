/// What Apple gives for an authorization code.
package struct AppleGrant: Sendable, Equatable {
    /// Whose code it was.
    package let subject: String
    package let refreshToken: String

    package init(subject: String, refreshToken: String) {
        self.subject = subject
        self.refreshToken = refreshToken
    }
}
