extension Gatekeeper {
    /// A nonce for one login with Apple. Nothing of it is kept until it is used.
    package func challenge() -> (nonce: String, expiresIn: Duration) {
        let lifetime = policy.apple.challengeLifetime
        return (tokens.challenge(expiresAt: world.now() + lifetime).nonce, lifetime)
    }
}
