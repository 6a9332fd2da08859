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

    func accessToken(of user: User, in session: Session, now: Timestamp) -> String {
        let caller = Caller(userID: user.id, sessionID: session.id, role: user.role)
        let tokenID = Identifier.make("at", at: now, random: world.random(Identifier.randomBytes))
        return tokens.accessToken(
            AccessClaims(
                caller: caller, clientID: session.clientID, tokenID: tokenID, issuedAt: now,
                expiresAt: now + policy.accessTokenLifetime))
    }
}
