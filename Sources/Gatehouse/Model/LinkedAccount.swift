/// A way of signing in that a user has.
package struct LinkedAccount: Sendable, Equatable {
    package let provider: Provider
    package let subject: String
    package let email: String?
    /// Whether the provider has confirmed that the address belongs to the user; nil where it has never said.
    package let emailVerified: Bool?
    /// What a client has said, and nobody has proven.
    package let emailHint: String?
    package let isPrivateEmail: Bool?
    /// Whether Apple passes mail on to the user; nil where Apple has never said.
    package let isMailForwarded: Bool?
    /// How sure Apple is that this is a person: 0, 1 or 2.
    package let realUserStatus: Int64?
    /// What only the client has said of it.
    package let realUserStatusHint: Int64?
    /// Who this is to another developer team.
    package let transferSubject: String?
    package let linkedAt: Timestamp

    package init(
        provider: Provider, subject: String, email: String?, emailVerified: Bool?, emailHint: String?,
        isPrivateEmail: Bool?, isMailForwarded: Bool?, realUserStatus: Int64?, realUserStatusHint: Int64?,
        transferSubject: String?, linkedAt: Timestamp
    ) {
        self.provider = provider
        self.subject = subject
        self.email = email
        self.emailVerified = emailVerified
        self.emailHint = emailHint
        self.isPrivateEmail = isPrivateEmail
        self.isMailForwarded = isMailForwarded
        self.realUserStatus = realUserStatus
        self.realUserStatusHint = realUserStatusHint
        self.transferSubject = transferSubject
        self.linkedAt = linkedAt
    }
}
