package import Gatehouse
import JOSE

/// Verifies identity tokens and notifications with the keys that Apple publishes.
package struct AppleSignIn: AppleVerifier {
    private let verifier: IdentityTokenVerifier
    private let keys: AppleKeys

    package init(verifier: IdentityTokenVerifier, keys: AppleKeys) {
        self.verifier = verifier
        self.keys = keys
    }

    package func verify(
        _ credential: AppleCredential, now: Timestamp, requestID: String?
    ) throws(Refusal) -> AppleAssertion {
        let token = try refusing { () throws(AppleTokenFault) in
            try verifier.inspect(credential.identityToken, now: now)
        }
        let key = try key(token.keyID, requestID)
        return try refusing { () throws(AppleTokenFault) in
            try verifier.confirm(token, with: key, for: credential)
        }
    }

    package func verify(
        notification text: String, now: Timestamp, requestID: String?
    ) throws(Refusal) -> AppleNotification {
        let notification = try refusing { () throws(AppleTokenFault) in
            try SignedNotification(text, policy: verifier.policy, now: now)
        }
        let key = try key(notification.keyID, requestID)
        return try refusing { () throws(AppleTokenFault) in try notification.confirmed(by: key) }
    }

    package func isApparentlyApple(_ token: String) -> Bool {
        (try? AppleJWS(token))?.isIssued(by: verifier.policy) == true
    }

    private func key(_ keyID: String, _ requestID: String?) throws(Refusal) -> VerificationKey {
        do { return try keys.key(keyID, requestID: requestID) } catch {
            switch error {
            case .unknownKey: throw .appleToken(.unknownKey)
            case .unavailable: throw .appleKeysUnavailable
            }
        }
    }

    private func refusing<Result>(_ check: () throws(AppleTokenFault) -> Result) throws(Refusal) -> Result {
        do { return try check() } catch { throw .appleToken(error) }
    }
}
