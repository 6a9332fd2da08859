package import Gatehouse
import JOSE

/// Sign in with Apple as the domain asks for it: the verifiers of what Apple signs, with Apple's keys behind them.
package struct AppleSignIn: AppleVerifier {
    private let verifier: IdentityTokenVerifier
    private let keys: AppleKeys

    package init(verifier: IdentityTokenVerifier, keys: AppleKeys) {
        self.verifier = verifier
        self.keys = keys
    }

    package func verify(_ credential: AppleCredential, now: Timestamp) throws(Refusal) -> AppleAssertion {
        let token = try judging { () throws(AppleTokenFault) in
            try verifier.inspect(credential.identityToken, now: now)
        }
        let key = try key(token.keyID)
        return try judging { () throws(AppleTokenFault) in
            try verifier.confirm(token, with: key, for: credential)
        }
    }

    package func verify(notification text: String, now: Timestamp) throws(Refusal) -> AppleNotification {
        let signed = try judging { () throws(AppleTokenFault) in
            try SignedNotification(text, policy: verifier.policy, now: now)
        }
        let key = try key(signed.keyID)
        return try judging { () throws(AppleTokenFault) in try signed.confirmed(by: key) }
    }

    private func key(_ keyID: String) throws(Refusal) -> VerificationKey {
        do { return try keys.key(keyID) } catch {
            switch error {
            case .unknownKey: throw .appleToken(.unknownKey)
            case .unavailable: throw .appleKeysUnavailable
            }
        }
    }

    private func judging<Result>(_ check: () throws(AppleTokenFault) -> Result) throws(Refusal) -> Result {
        do { return try check() } catch { throw .appleToken(error) }
    }
}
