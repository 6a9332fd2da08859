package import Gatehouse

/// Verifies the security events that Google's servers send, with the keys that also sign its identity tokens.
package struct GoogleEventVerifier: Sendable {
    private let tokens: ProviderTokens

    /// - Parameters:
    ///   - name: the provider whose users the events are about.
    ///   - rules: those of Google's identity tokens.
    package init(name: Provider, rules: TokenRules, keys: ProviderKeys) {
        let verifier = IdentityTokenVerifier(rules.forEvents)
        tokens = ProviderTokens(provider: name, verifier: verifier, keys: keys)
    }

    /// Verifies a security event token. An identity token is refused.
    ///
    /// - Parameter requestID: for the log, when the verification has to fetch Google's keys.
    package func verify(event text: String, now: Timestamp, requestID: String?) throws(Refusal) -> GoogleEvent {
        let event = try tokens.refusing { () throws(IdentityFault) in
            try SignedGoogleEvent(text, rules: tokens.rules, now: now)
        }
        let keys = try tokens.keys(for: event.key, requestID: requestID)
        return try tokens.refusing { () throws(IdentityFault) in try event.confirmed(by: keys) }
    }
}
