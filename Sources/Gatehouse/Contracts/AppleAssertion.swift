/// What a genuine identity token says.
package struct AppleAssertion: Sendable, Equatable {
    package let subject: String
    /// The bundle id or Services ID that the token was made for.
    package let audience: String
    package var email: String?
    package var emailVerified: Bool?
    package var isPrivateEmail: Bool?
    package var realUserStatus: Int?

    package init(
        subject: String, audience: String, email: String? = nil, emailVerified: Bool? = nil,
        isPrivateEmail: Bool? = nil, realUserStatus: Int? = nil
    ) {
        self.subject = subject
        self.audience = audience
        self.email = email
        self.emailVerified = emailVerified
        self.isPrivateEmail = isPrivateEmail
        self.realUserStatus = realUserStatus
    }
}
