package import Gatehouse

/// Verifies the identity tokens of one OpenID provider with the keys that it publishes.
package struct OpenIDProvider: IdentityProvider {
    package let rules: LoginRules
    private let tokens: ProviderTokens

    package init(name: Provider, rules: TokenRules, keys: ProviderKeys, replayGrace: Duration) {
        tokens = ProviderTokens(provider: name, verifier: IdentityTokenVerifier(rules), keys: keys)
        self.rules = LoginRules(requiresChallenge: rules.nonce == .challenge, replayGrace: replayGrace)
    }

    package func verify(
        _ credential: IdentityCredential, now: Timestamp, requestID: String?,
        spending spend: (_ code: String) throws(Refusal) -> Void
    ) throws(Refusal) -> IdentityAssertion {
        try tokens.verify(credential, now: now, requestID: requestID)
    }
}
