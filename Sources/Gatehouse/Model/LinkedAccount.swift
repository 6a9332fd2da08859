/// A way of signing in that a user has.
package struct LinkedAccount: Sendable, Equatable {
    package let provider: Provider
    package let subject: String
    package let email: String?
    package let isPrivateEmail: Bool?
    /// Whether Apple passes mail on to the user; nil where Apple has never said.
    package let isMailForwarded: Bool?
    package let linkedAt: Timestamp

    package init(
        provider: Provider, subject: String, email: String?, isPrivateEmail: Bool?, isMailForwarded: Bool?,
        linkedAt: Timestamp
    ) {
        self.provider = provider
        self.subject = subject
        self.email = email
        self.isPrivateEmail = isPrivateEmail
        self.isMailForwarded = isMailForwarded
        self.linkedAt = linkedAt
    }
}
