/// The rules of one installation for Sign in with Apple.
package struct ApplePolicy: Sendable, Equatable {
    /// How long an identity token may be redeemed again, by whoever missed the answer.
    package var replayGrace: Duration
    /// Whether a login has to bring a nonce that we have given out.
    package var requiresChallenge: Bool
    /// How long such a nonce is good: as long as somebody may look at Apple's sheet.
    package var challengeLifetime: Duration
    package var onConsentRevoked: ConsentPolicy

    package init(
        replayGrace: Duration = .seconds(60), requiresChallenge: Bool = false,
        challengeLifetime: Duration = .seconds(600), onConsentRevoked: ConsentPolicy = .unlink
    ) {
        self.replayGrace = replayGrace
        self.requiresChallenge = requiresChallenge
        self.challengeLifetime = challengeLifetime
        self.onConsentRevoked = onConsentRevoked
    }
}
