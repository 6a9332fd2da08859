package import Gatehouse

/// Google: an OpenID provider that also reports what endangers its users' accounts.
package struct GoogleProvider: IdentityProvider, SecurityEventVerifier {
    private let logins: IdentityTokenVerifier
    private let events: IdentityTokenVerifier

    package init(name: Provider, rules: TokenRules, keys: ProviderKeys, replayGrace: Duration) {
        logins = IdentityTokenVerifier(of: name, by: rules, keys: keys, replayGrace: replayGrace)
        events = IdentityTokenVerifier(of: name, by: rules.forEvents, keys: keys)
    }

    package var requiresChallenge: Bool { logins.requiresChallenge }

    package func verify(
        _ credential: IdentityCredential, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        try logins.verify(credential, in: request)
    }

    package func verify(
        securityEvents text: String, now: Timestamp, requestID: String?
    ) throws(Refusal) -> SecurityEvents {
        let event = try verify(event: text, now: now, requestID: requestID)
        return SecurityEvents(
            provider: events.provider, id: event.id, issuedAt: event.issuedAt,
            entries: event.entries.map { SecurityEvents.Entry($0.securityKind, subject: $0.user) })
    }

    /// Verifies a security event token, which the keys sign that also sign identity tokens. An identity token is refused.
    package func verify(event text: String, now: Timestamp, requestID: String?) throws(Refusal) -> GoogleEvent {
        let event = try events.refusing { () throws(IdentityFault) in
            try SignedGoogleEvent(text, rules: events.rules, now: now)
        }
        let keys = try events.keys(for: event.key, requestID: requestID)
        return try events.refusing { () throws(IdentityFault) in try event.confirmed(by: keys) }
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
