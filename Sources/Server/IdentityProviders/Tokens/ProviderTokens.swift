import Gatehouse
import JOSE

/// Verifies what one provider has signed with the keys that it publishes.
struct ProviderTokens: Sendable {
    let provider: Provider
    let verifier: IdentityTokenVerifier
    let keys: ProviderKeys

    var rules: TokenRules { verifier.rules }

    func verify(
        _ credential: IdentityCredential, now: Timestamp, requestID: String?
    ) throws(Refusal) -> IdentityAssertion {
        guard let text = credential.identityToken else { throw .missing(.identityToken) }
        let token = try refusing { () throws(IdentityFault) in try verifier.inspect(text, now: now) }
        let keys = try keys(for: token.key, requestID: requestID)
        return try refusing { () throws(IdentityFault) in
            try verifier.confirm(token, with: keys, for: credential)
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
