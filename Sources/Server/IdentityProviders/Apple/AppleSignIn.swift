package import Gatehouse
import JOSE

/// Verifies identity tokens and notifications with the keys that Apple publishes.
package struct AppleSignIn: AppleVerifier {
    package let rules: LoginRules
    private let verifier: IdentityTokenVerifier
    private let keys: AppleKeys

    package init(verifier: IdentityTokenVerifier, keys: AppleKeys, replayGrace: Duration) {
        self.verifier = verifier
        self.keys = keys
        rules = LoginRules(requiresChallenge: verifier.policy.nonce == .challenge, replayGrace: replayGrace)
    }

    package func verify(
        _ credential: IdentityCredential, now: Timestamp, requestID: String?,
        spending spend: (_ code: String) throws(Refusal) -> Void
    ) throws(Refusal) -> IdentityAssertion {
        guard let text = credential.identityToken else { throw .missing(.identityToken) }
        let token = try refusing { () throws(IdentityFault) in try verifier.inspect(text, now: now) }
        let key = try key(token.keyID, requestID)
        return try refusing { () throws(IdentityFault) in
            try verifier.confirm(token, with: key, for: credential)
        }
    }

    package func verify(
        notification text: String, now: Timestamp, requestID: String?
    ) throws(Refusal) -> AppleNotification {
        let notification = try refusing { () throws(IdentityFault) in
            try SignedNotification(text, policy: verifier.policy, now: now)
        }
        let key = try key(notification.keyID, requestID)
        return try refusing { () throws(IdentityFault) in try notification.confirmed(by: key) }
    }

    package func isApparentlyApple(_ token: String) -> Bool {
        (try? AppleJWS(token))?.isIssued(by: verifier.policy) == true
    }

    private func key(_ keyID: String, _ requestID: String?) throws(Refusal) -> VerificationKey {
        do { return try keys.key(keyID, requestID: requestID) } catch {
            switch error {
            case .unknownKey: throw .identity(.unknownKey, by: .apple)
            case .unavailable: throw .providerUnavailable(.apple)
            }
        }
    }

    private func refusing<Result>(_ check: () throws(IdentityFault) -> Result) throws(Refusal) -> Result {
        do { return try check() } catch { throw .identity(error, by: .apple) }
    }
}
