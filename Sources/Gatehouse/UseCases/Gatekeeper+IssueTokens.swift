extension Gatekeeper {
    /// A new refresh token and what the store is to know of it.
    func issue(
        generation: Int64, of id: SessionID, for userID: UserID, sessionCreatedAt: Timestamp, now: Timestamp
    ) -> (SessionToken, String) {
        let random = world.random(SessionToken.randomBytes)
        let expiresAt = policy.refresh.expiry(issuedAt: now, sessionCreatedAt: sessionCreatedAt)
        let text = tokens.refreshToken(
            RefreshClaims(
                userID: userID, sessionID: id, generation: generation, random: random, issuedAt: now,
                expiresAt: expiresAt))
        let token = SessionToken(
            generation: generation, random: random, issuedAt: now, expiresAt: expiresAt, hash: tokens.hash(text))
        return (token, text)
    }

    func pair(
        _ refreshToken: String, of user: User, in session: Session, now: Timestamp
    ) throws(Refusal) -> TokenPair {
        let access = try accessToken(of: user, in: session, now: now)
        return TokenPair(accessToken: access.text, refreshToken: refreshToken, expiresIn: access.expiresIn)
    }

    /// An access token, and for how long it is good: no longer than its session.
    func accessToken(
        of user: User, in session: Session, now: Timestamp
    ) throws(Refusal) -> (text: String, expiresIn: Duration) {
        let expiresAt = min(now + policy.accessTokenLifetime, session.token.expiresAt)
        let role = try asking { () throws(StoreFailure) in try revocations.role(of: user) }
        let caller = Caller(
            userID: user.id, sessionID: session.id, role: role, authenticatedAt: session.createdAt)
        let tokenID = Identifier.make("at", at: now, random: world.random(Identifier.randomBytes))
        let text = tokens.accessToken(
            AccessClaims(
                caller: caller, clientID: session.clientID, tokenID: tokenID, issuedAt: now, expiresAt: expiresAt))
        return (text, .milliseconds(expiresAt.milliseconds - now.milliseconds))
    }
}
