/// A nonce made by Gatehouse, which comes back in the provider's identity token.
package struct Challenge: Sendable, Equatable {
    /// How long it is valid: the user has to complete the provider's sign-in sheet.
    package static let lifetime = Duration.seconds(600)

    package let nonce: String
    package let expiresAt: Timestamp

    package init(nonce: String, expiresAt: Timestamp) {
        (self.nonce, self.expiresAt) = (nonce, expiresAt)
    }

    /// Why a login must not use a challenge; nil if it may. An expired challenge is refused even if none is required.
    ///
    /// - Parameters:
    ///   - challenge: nil if the nonce is not one.
    ///   - nonce: the nonce of the login.
    package static func fault(
        of challenge: Challenge?, sentAs nonce: String?, isRequired: Bool, now: Timestamp
    ) -> NonceFault? {
        if let challenge { return challenge.expiresAt <= now ? .challengeExpired : nil }
        guard isRequired else { return nil }
        return nonce == nil ? .challengeRequired : .notAChallenge
    }
}

extension AuthService {
    /// A nonce for one login by an identity token. It is not stored until it is used.
    package func challenge() -> (nonce: String, expiresIn: Duration) {
        (tokens.challenge(expiresAt: platform.now() + Challenge.lifetime).nonce, Challenge.lifetime)
    }
}
