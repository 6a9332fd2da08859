/// Verifies what Apple has signed.
///
/// Throws `.appleToken` for a token that is not valid, `.appleKeysUnavailable` when that cannot be
/// decided, and no other refusal.
package protocol AppleVerifier: Sendable {
    /// - Parameter requestID: for the log, when the verification has to fetch Apple's keys.
    func verify(_ credential: AppleCredential, now: Timestamp, requestID: String?) throws(Refusal) -> AppleAssertion

    /// Verifies a notification from Apple's servers. An identity token is refused.
    func verify(notification: String, now: Timestamp, requestID: String?) throws(Refusal) -> AppleNotification

    /// Whether a text has the form and the issuer of Apple's tokens. Its signature is not verified.
    func isApparentlyApple(_ token: String) -> Bool
}

/// What an app sends after Sign in with Apple to prove the login.
package struct AppleCredential: Sendable {
    package let identityToken: String
    package var authorizationCode: String?
    package var userIdentifier: String?
    package var nonce: String?

    package init(
        identityToken: String, authorizationCode: String? = nil, userIdentifier: String? = nil, nonce: String? = nil
    ) {
        self.identityToken = identityToken
        self.authorizationCode = authorizationCode
        self.userIdentifier = userIdentifier
        self.nonce = nonce
    }
}

/// The claims of a valid identity token.
package struct AppleAssertion: Sendable, Equatable {
    package let subject: String
    /// The bundle id or Services ID that the token was issued for.
    package let audience: String
    /// SHA-256 of the signed part, which identifies the token.
    package let tokenHash: [UInt8]
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package var email: String?
    package var emailVerified: Bool?
    package var isPrivateEmail: Bool?
    package var realUserStatus: Int?
    /// The subject before the app was transferred from another developer team.
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
