package import Gatehouse

/// Google: an OpenID provider that also reports what endangers its users' accounts.
package struct GoogleProvider: IdentityProvider, SecurityEventVerifier {
    private let logins: OpenIDProvider
    private let events: GoogleEventVerifier
    private let name: Provider

    package init(name: Provider, rules: TokenRules, keys: ProviderKeys, replayGrace: Duration) {
        logins = OpenIDProvider(name: name, rules: rules, keys: keys, replayGrace: replayGrace)
        events = GoogleEventVerifier(name: name, rules: rules, keys: keys)
        self.name = name
    }

    package var rules: LoginRules { logins.rules }

    package func verify(
        _ credential: IdentityCredential, now: Timestamp, requestID: String?,
        spending spend: (_ code: String) throws(Refusal) -> Void
    ) throws(Refusal) -> IdentityAssertion {
        try logins.verify(credential, now: now, requestID: requestID, spending: spend)
    }

    package func verify(
        securityEvents text: String, now: Timestamp, requestID: String?
    ) throws(Refusal) -> SecurityEvents {
        let event = try events.verify(event: text, now: now, requestID: requestID)
        return SecurityEvents(
            provider: name, id: event.id, issuedAt: event.issuedAt,
            entries: event.entries.map { SecurityEvents.Entry($0.securityKind, subject: $0.user) })
    }
}

extension GoogleEvent.Entry {
    /// Google demands that the sessions of a hijacked account end, and leaves the other reasons to the app. Gatehouse
    /// keeps no refresh token of Google's, so one that was revoked means nothing here.
    fileprivate var securityKind: SecurityEvents.Kind {
        switch kind {
        case .sessionsRevoked: .sessionsRevoked
        case .tokensRevoked: .tokensRevoked
        case .accountDisabled: reason == .hijacking ? .accountHijacked : .accountDisabled
        case .accountEnabled: .accountEnabled
        case .credentialChangeRequired: .credentialChangeRequired
        case .verification: .verification
        case .tokenRevoked, .other: .other
        }
    }

    fileprivate var user: String? {
        guard case .user(let subject) = subject else { return nil }
        return subject
    }
}
