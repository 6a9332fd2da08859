import Gatehouse
import IdentityProviders
import JSON

/// The checks that depend on the installation, after those of the token.
extension IdentityTokenReport {
    /// None if no installation is described.
    func checks(on rule: ChallengeRule?, passed: [IdentityTokenCheck]) -> [VerifiedCheck] {
        guard let rule else { return [] }
        guard passed.count == rules.checks.count else {
            return [.notMade("challenge"), .notMade("used")]
        }
        return [
            challengeCheck(rule),
            VerifiedCheck(
                .skipped, "used", "not checked: only the server knows whether the token or its nonce has been used"),
        ]
    }

    private func challengeCheck(_ rule: ChallengeRule) -> VerifiedCheck {
        let challenge = rule.challenge(credential.nonce)
        let fault = Challenge.fault(of: challenge, sentAs: credential.nonce, isRequired: rule.isRequired, now: now)
        switch (fault, challenge) {
        case (nil, let challenge?):
            return VerifiedCheck(.ok, "challenge", "issued by this installation, expires \(challenge.expiresAt)")
        case (nil, nil): return VerifiedCheck(.skipped, "challenge", skipReason(rule))
        case (.challengeExpired?, let challenge?):
            let message = "it expired at \(challenge.expiresAt), which is not after \(now)"
            return VerifiedCheck(.fault, "challenge", message)
        default:
            return VerifiedCheck(.fault, "challenge", "the nonce is not of this installation's challenge endpoint")
        }
    }

    private func skipReason(_ rule: ChallengeRule) -> String {
        if credential.nonce == nil { return "not checked: the login has no nonce, and none is required" }
        if rule.keys == nil { return "not checked: JWT_REFRESH_SECRET is not set, or this user cannot read it" }
        return "the nonce is the app's own, which the configuration allows"
    }
}
