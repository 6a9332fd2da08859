/// Verifies what one provider says about a user. A login proves an identity; everything after the proof is the same for all
/// providers.
package protocol IdentityProvider: Sendable {
    /// The rules for the nonce and for a repeat of the same credential.
    var rules: LoginRules { get }

    /// Verifies a credential. It is not redeemed yet.
    ///
    /// - Parameters:
    ///   - requestID: for the log, when the verification has to ask the provider.
    ///   - spend: called with a code right before it is exchanged, because a code can be exchanged once. Throws if another
    ///     request has exchanged it.
    /// - Throws: `.identity` for a credential that is not valid, `.missing` for one that lacks a member, `.providerUnavailable`
    ///   when the provider has to be asked and does not answer, `.providerMisconfigured` when it refuses the operator's id or
    ///   secret, what `spend` throws, and no other refusal.
    func verify(
        _ credential: IdentityCredential, now: Timestamp, requestID: String?,
        spending spend: (_ code: String) throws(Refusal) -> Void
    ) throws(Refusal) -> IdentityAssertion
}

/// What a provider's logins have to contain besides a valid credential.
package struct LoginRules: Sendable, Equatable {
    /// Whether a login must use a nonce from the challenge endpoint.
    package var requiresChallenge: Bool
    /// How long an identity token may be redeemed again by a client that retries.
    package var replayGrace: Duration

    package init(requiresChallenge: Bool = false, replayGrace: Duration) {
        self.requiresChallenge = requiresChallenge
        self.replayGrace = replayGrace
    }
}

/// What a client sends to prove a login. Each provider reads the members that it needs.
package struct IdentityCredential: Sendable {
    /// A member, for the answer to a request that lacks it.
    package enum Member: String, Sendable, CaseIterable {
        case identityToken
        case code
        /// Either of the two is enough.
        case codeOrAccessToken
        case redirectURI = "redirectUri"
    }

    package var identityToken: String?
    /// Apple's `authorizationCode`, or the code of another provider.
    package var code: String?
    package var userIdentifier: String?
    package var nonce: String?
    /// The provider's access token.
    package var accessToken: String?
    /// Where the provider sent the code.
    package var redirectURI: String?

    package init(
        identityToken: String? = nil, code: String? = nil, userIdentifier: String? = nil, nonce: String? = nil,
        accessToken: String? = nil, redirectURI: String? = nil
    ) {
        self.identityToken = identityToken
        self.code = code
        self.userIdentifier = userIdentifier
        self.nonce = nonce
        self.accessToken = accessToken
        self.redirectURI = redirectURI
    }
}

/// What a valid credential says.
package struct IdentityAssertion: Sendable, Equatable {
    package let subject: String
    /// The client of the provider that the credential was issued for: an audience, or the id of an app.
    package let clientID: String
    /// SHA-256 of the signed part, which identifies the token; nil for a credential that is redeemed at the provider.
    package let tokenHash: [UInt8]?
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package var email: String?
    package var emailVerified: Bool?
    package var isPrivateEmail: Bool?
    package var realUserStatus: Int?
    /// The subject before the app was transferred from another developer team.
    package var transferSubject: String?
    /// The subject that all apps of the operator see at this provider.
    package var unionSubject: String?
    /// The name that the provider knows.
    package var nickname: String?
    /// The nonce in the token, if the provider's rules let a login leave it out.
    package var unsentNonce: String?

    package init(
        subject: String, clientID: String, tokenHash: [UInt8]?, issuedAt: Timestamp, expiresAt: Timestamp,
        email: String? = nil, emailVerified: Bool? = nil, isPrivateEmail: Bool? = nil, realUserStatus: Int? = nil,
        transferSubject: String? = nil, unionSubject: String? = nil, nickname: String? = nil
    ) {
        self.subject = subject
        self.clientID = clientID
        self.tokenHash = tokenHash
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.email = email
        self.emailVerified = emailVerified
        self.isPrivateEmail = isPrivateEmail
        self.realUserStatus = realUserStatus
        self.transferSubject = transferSubject
        self.unionSubject = unionSubject
        self.nickname = nickname
    }
}
