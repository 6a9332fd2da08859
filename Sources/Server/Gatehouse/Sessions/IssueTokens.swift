/// The tokens that a client holds while it is logged in.
package struct TokenPair: Sendable, Equatable {
    package let accessToken: String
    package let refreshToken: String
    package let expiresIn: Duration
    /// Whether requests with these tokens need a proof.
    package let isBound: Bool
    /// How long the refresh token lives.
    package let sessionExpiresIn: Duration
    /// What the access token has of the user's attributes; nil if tokens have none in this installation.
    package let attributes: Attributes?

    package init(
        accessToken: String, refreshToken: String, expiresIn: Duration, isBound: Bool = false,
        sessionExpiresIn: Duration, attributes: Attributes? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.isBound = isBound
        self.sessionExpiresIn = sessionExpiresIn
        self.attributes = attributes
    }
}

extension AuthService {
    /// A new refresh token, and what the store keeps of it.
    func issueRefreshToken(
        generation: Int64, seed: [UInt8], of id: SessionID, for userID: UserID, sessionCreatedAt: Timestamp,
        now: Timestamp
    ) -> (SessionToken, String) {
        let random = tokens.random(ofGeneration: generation, seed: seed)
        let expiresAt = policy.refresh.expiry(issuedAt: now, sessionCreatedAt: sessionCreatedAt)
        let text = tokens.refreshToken(
            RefreshClaims(
                userID: userID, sessionID: id, generation: generation, random: random, issuedAt: now,
                expiresAt: expiresAt))
        let token = SessionToken(
            generation: generation, random: random, issuedAt: now, expiresAt: expiresAt, hash: tokens.hash(text))
        return (token, text)
    }

    /// A refresh token together with a new access token, which expires no later than the session.
    ///
    /// The lifetime of the access token begins with the issue of the refresh token, also when a repeat returns both
    /// again: a repeat gives no more time than the first answer gave, and a late repeat returns an expired access
    /// token. The lifetime never begins in the future: another node may have issued the refresh token with a clock
    /// that is ahead.
    func tokenPair(
        _ refreshToken: String, for user: User, in session: Session, now: Timestamp
    ) throws(Refusal) -> TokenPair {
        let expiresAt = min(min(session.token.issuedAt, now) + policy.accessTokenLifetime, session.token.expiresAt)
        let (role, attributes) = try revocations.claims(of: user, listing: policy.attributes.names)
        let caller = Caller(
            userID: user.id, sessionID: session.id, generation: session.token.generation,
            role: role, authenticatedAt: session.createdAt,
            keyThumbprint: session.keyThumbprint, strength: session.method?.strength ?? .single,
            needsPhone: policy.phone.binding == .required && user.phone == nil && !user.isGuest,
            isGuest: user.isGuest, attributes: attributes)
        let tokenID = ULID.make("at", at: now, random: platform.random(ULID.randomBytes))
        let accessToken = tokens.accessToken(
            AccessClaims(
                caller: caller, method: session.method, clientID: session.clientID, tokenID: tokenID,
                issuedAt: min(now, expiresAt), expiresAt: expiresAt))
        return TokenPair(
            accessToken: accessToken, refreshToken: refreshToken,
            expiresIn: .milliseconds(max(0, expiresAt.milliseconds - now.milliseconds)), isBound: session.isBound,
            sessionExpiresIn: .milliseconds(
                max(0, session.token.expiresAt.milliseconds - now.milliseconds)),
            attributes: policy.attributes.names.isEmpty ? nil : attributes)
    }
}

/// The claims of an access token.
package struct AccessClaims: Sendable, Equatable {
    package var caller: Caller
    package let method: LoginMethod?
    package let clientID: String
    package let tokenID: String
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp

    package init(
        caller: Caller, method: LoginMethod? = nil, clientID: String, tokenID: String, issuedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.caller = caller
        self.method = method
        self.clientID = clientID
        self.tokenID = tokenID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}

/// The claims of a refresh token. They and the secret determine every byte of it, so equal claims give equal tokens.
package struct RefreshClaims: Sendable, Equatable {
    package let userID: UserID
    package let sessionID: SessionID
    package let generation: Int64
    package let random: [UInt8]
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp

    package init(
        userID: UserID, sessionID: SessionID, generation: Int64, random: [UInt8], issuedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.userID = userID
        self.sessionID = sessionID
        self.generation = generation
        self.random = random
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}
