/// How long refresh tokens and sessions live.
package struct RefreshPolicy: Sendable, Equatable {
    /// A session ends this long after its last refresh.
    package var tokenLifetime: Duration
    /// A session ends this long after login, whatever happens.
    package var sessionMaximumAge: Duration
    /// How long a retry with the token before gets the current one again.
    package var reuseGrace: Duration

    package init(
        tokenLifetime: Duration = .seconds(30 * 86_400), sessionMaximumAge: Duration = .seconds(365 * 86_400),
        reuseGrace: Duration = .seconds(30)
    ) {
        self.tokenLifetime = tokenLifetime
        self.sessionMaximumAge = sessionMaximumAge
        self.reuseGrace = reuseGrace
    }

    /// When a token issued now ends, in whole seconds as the token itself says it.
    package func expiry(issuedAt now: Timestamp, sessionCreatedAt: Timestamp) -> Timestamp {
        Timestamp(seconds: min(now + tokenLifetime, sessionCreatedAt + sessionMaximumAge).seconds)
    }
}
