/// Verifies what one provider says about a user. A login proves an identity; everything after the proof is the same for all
/// providers.
package protocol IdentityProvider: Sendable {
    /// Whether a login must use a nonce from the challenge endpoint.
    var requiresChallenge: Bool { get }

    /// Verifies a credential. An identity token is not redeemed yet; a code is spent.
    ///
    /// - Throws: `.identity` for a credential that is not valid, `.missing` for one that lacks a member, `.providerUnavailable`
    ///   when the provider has to be asked and does not answer, `.providerMisconfigured` when it refuses the operator's id or
    ///   secret, what `Verification.spend` throws, and no other refusal.
    func verify(_ credential: IdentityCredential, in request: Verification) throws(Refusal) -> ProvenIdentity
}

/// The request in which a provider verifies something.
package struct Verification: Sendable {
    package let now: Timestamp
    /// For the log, when the provider has to be asked.
    package let requestID: String?
    private let codes: any OneTimeCodes

    package init(now: Timestamp, requestID: String?, codes: any OneTimeCodes) {
        (self.now, self.requestID, self.codes) = (now, requestID, codes)
    }

    /// Marks a code as used. Called right before it is exchanged, because a code can be exchanged once. Throws if another
    /// request has exchanged it.
    package func spend(_ code: String, of provider: Provider) throws(Refusal) {
        try codes.spend(code, of: provider, now: now)
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

/// What a way to sign in proves: who it is, to which client, and what has to be redeemed for it.
package struct ProvenIdentity: Sendable, Equatable {
    package var identity: Identity
    /// How, where RFC 8176 has words for it.
    package let method: LoginMethod?
    /// The client of the provider that the credential was issued for: an audience, or the id of an app.
    package let clientID: String
    package let issuedAt: Timestamp
    /// The single use of the credential, which the login writes; nil if it was spent when it was verified.
    package var redemption: Redemption?
    /// The name that the provider knows.
    package var nickname: String?
    /// The nonce in the token, if the provider's rules let a login leave it out.
    package var unsentNonce: String?
    /// Apple's code, which is exchanged after the login.
    package var laterCode: String?
    /// What the login writes of its passkey.
    package var passkey: PasskeyProof?

    package init(
        identity: Identity, method: LoginMethod? = nil, clientID: String, issuedAt: Timestamp,
        redemption: Redemption? = nil, nickname: String? = nil, laterCode: String? = nil
    ) {
        self.identity = identity
        self.method = method
        self.clientID = clientID
        self.issuedAt = issuedAt
        self.redemption = redemption
        self.nickname = nickname
        self.laterCode = laterCode
    }
}
