import Gatehouse
import IdentityProviders
import JSON

/// The checks that depend on the installation, after those of the token.
extension IdentityTokenReport {
    /// None if no installation is described.
    func checks(by server: TokenIssuer.ServerChecks, passed: [IdentityTokenCheck]) -> [VerifiedCheck] {
        let isPassed = passed.count == rules.checks.count
        let unused = "not checked: only the server knows whether the token"
        switch server {
        case .none: return []
        case .challenges(let rule):
            guard isPassed else { return [.notMade("challenge"), .notMade("used")] }
            return [
                challengeCheck(rule), VerifiedCheck(.skipped, "used", "\(unused) or its nonce has been used"),
            ]
        case .unknown:
            let subjects = rules.nonce == .challenge ? ["challenge", "used"] : ["used"]
            guard isPassed else { return subjects.map(VerifiedCheck.notMade) }
            let issued = "not checked: only the server knows whether it has issued the nonce"
            return subjects.map {
                VerifiedCheck(.skipped, $0, $0 == "used" ? "\(unused) has been used" : issued)
            }
        }
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
