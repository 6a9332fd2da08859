package import Gatehouse
import JOSE

/// Verifies what one provider has signed with the keys that it publishes: the identity tokens of logins, and other tokens for
/// the verifiers that have this one.
package struct IdentityTokenVerifier: IdentityProvider {
    let provider: Provider
    let rules: TokenRules
    private let keys: ProviderKeys
    private let replayGrace: Duration

    /// - Parameter replayGrace: how long an identity token may be redeemed again by a client that retries.
    package init(of provider: Provider, by rules: TokenRules, keys: ProviderKeys, replayGrace: Duration = .zero) {
        (self.provider, self.rules, self.keys, self.replayGrace) = (provider, rules, keys, replayGrace)
    }

    package var requiresChallenge: Bool { rules.nonce == .challenge }

    package func verify(
        _ credential: IdentityCredential, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        guard let text = credential.identityToken else { throw .missing(.identityToken) }
        let token = try refusing { () throws(IdentityFault) in
            try IdentityToken(text, rules: rules, now: request.now)
        }
        let keys = try keys(for: token.key, requestID: request.requestID)
        return try refusing { () throws(IdentityFault) in
            try token.proven(
                of: provider, by: rules, with: keys, for: credential, grace: replayGrace, now: request.now)
        }
    }

    func keys(for reference: KeyReference, requestID: String?) throws(Refusal) -> [VerificationKey] {
        do { return try keys.keys(for: reference, requestID: requestID) } catch {
            switch error {
            case .unknownKey: throw .identity(.unknownKey, by: provider)
            case .unavailable: throw .providerUnavailable(provider)
            }
        }
    }

    func refusing<Result>(_ check: () throws(IdentityFault) -> Result) throws(Refusal) -> Result {
        do { return try check() } catch { throw .identity(error, by: provider) }
    }
}
