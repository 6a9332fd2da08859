/// A way of signing in that a user has.
package struct LinkedAccount: Sendable, Equatable {
    package let provider: Provider
    package let subject: String
    package let email: String?
    /// What a client once said, and nobody has proven.
    package let emailHint: String?
    package let isPrivateEmail: Bool?
    /// Whether Apple passes mail on to the user; nil where Apple has never said.
    package let isMailForwarded: Bool?
    package let realUserStatus: Int64?
    package let linkedAt: Timestamp

    package init(
        provider: Provider, subject: String, email: String?, emailHint: String?, isPrivateEmail: Bool?,
        isMailForwarded: Bool?, realUserStatus: Int64?, linkedAt: Timestamp
    ) {
        self.provider = provider
        self.subject = subject
        self.email = email
        self.emailHint = emailHint
        self.isPrivateEmail = isPrivateEmail
        self.isMailForwarded = isMailForwarded
        self.realUserStatus = realUserStatus
        self.linkedAt = linkedAt
    }
}
