/// What a genuine identity token says.
package struct AppleAssertion: Sendable, Equatable {
    package let subject: String
    /// The bundle id or Services ID that the token was made for.
    package let audience: String
    /// SHA-256 of all that Apple signed: names this token, and no other.
    package let tokenHash: [UInt8]
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package var email: String?
    package var emailVerified: Bool?
    package var isPrivateEmail: Bool?
    package var realUserStatus: Int?
    /// Who this was before the app went to another developer team.
    package var transferSubject: String?

    package init(
        subject: String, audience: String, tokenHash: [UInt8], issuedAt: Timestamp, expiresAt: Timestamp,
        email: String? = nil, emailVerified: Bool? = nil, isPrivateEmail: Bool? = nil, realUserStatus: Int? = nil,
        transferSubject: String? = nil
    ) {
        self.subject = subject
        self.audience = audience
        self.tokenHash = tokenHash
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.email = email
        self.emailVerified = emailVerified
        self.isPrivateEmail = isPrivateEmail
        self.realUserStatus = realUserStatus
        self.transferSubject = transferSubject
    }
}
