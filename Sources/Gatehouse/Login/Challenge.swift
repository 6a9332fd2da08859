/// A nonce made by Gatehouse, which comes back in Apple's identity token.
package struct Challenge: Sendable, Equatable {
    package let nonce: String
    package let expiresAt: Timestamp

    package init(nonce: String, expiresAt: Timestamp) {
        self.nonce = nonce
        self.expiresAt = expiresAt
    }
}

extension AuthService {
    /// A nonce for one login with Apple. It is not stored until it is used.
    package func challenge() -> (nonce: String, expiresIn: Duration) {
        let lifetime = ApplePolicy.challengeLifetime
        return (tokens.challenge(expiresAt: primitives.now() + lifetime).nonce, lifetime)
    }
}
