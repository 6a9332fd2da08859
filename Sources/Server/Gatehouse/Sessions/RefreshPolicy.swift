/// How long refresh tokens and sessions live.
package struct RefreshPolicy: Sendable, Equatable {
    /// A session ends this long after its last refresh.
    package var tokenLifetime: Duration
    /// A session ends this long after its login, even when it is refreshed.
    package var sessionMaximumAge: Duration
    /// How long the previous token still gets the current one after a client has used the current one.
    package var reuseGrace: Duration
    /// How long after a rotation the previous token still gets the current one if no client has used the current one;
    /// nil for as long as the current token lives.
    package var lostAnswer: Duration?

    package init(
        tokenLifetime: Duration, sessionMaximumAge: Duration, reuseGrace: Duration, lostAnswer: Duration? = nil
    ) {
        self.tokenLifetime = tokenLifetime
        self.sessionMaximumAge = sessionMaximumAge
        self.reuseGrace = reuseGrace
        self.lostAnswer = lostAnswer
    }

    /// When a token issued now expires, in whole seconds like the token's own `exp`.
    package func expiry(issuedAt now: Timestamp, sessionCreatedAt: Timestamp) -> Timestamp {
        Timestamp(seconds: min(now + tokenLifetime, sessionCreatedAt + sessionMaximumAge).seconds)
    }
}
