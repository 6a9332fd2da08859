/// What a provider says of a person at a login. The pair of provider and subject finds the account; an email never does.
package struct Identity: Sendable, Equatable {
    package let provider: Provider
    package let subject: String
    /// The address that the provider vouches for.
    package var email: String?
    /// Whether the provider has confirmed that the address belongs to the person; nil where it does not say.
    package var emailVerified: Bool?
    /// An address that only the client told us: kept for support, trusted for nothing.
    package var emailHint: String?
    package var isPrivateEmail: Bool?
    package var realUserStatus: Int?
    /// What only the client says of it.
    package var realUserStatusHint: Int?
    /// Under which name the identity is known, if its app has come from another developer team.
    package var transferSubject: String?

    package init(
        provider: Provider, subject: String, email: String?, emailVerified: Bool? = nil, emailHint: String? = nil,
        isPrivateEmail: Bool? = nil, realUserStatus: Int? = nil, realUserStatusHint: Int? = nil,
        transferSubject: String? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.email = email
        self.emailVerified = emailVerified
        self.emailHint = emailHint
        self.isPrivateEmail = isPrivateEmail
        self.realUserStatus = realUserStatus
        self.realUserStatusHint = realUserStatusHint
        self.transferSubject = transferSubject
    }

    package var hasVerifiedEmail: Bool { email != nil && emailVerified == true }
}
