/// What a provider's servers report about the security of accounts there: one message, which may contain several events.
package struct SecurityEvents: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The user's sessions have to end.
        case sessionsRevoked = "sessions_revoked"
        /// An attacker has the account. Its sessions have to end.
        case accountHijacked = "account_hijacked"
        /// The user has withdrawn what they permitted the app.
        case tokensRevoked = "tokens_revoked"
        case accountDisabled = "account_disabled"
        case accountEnabled = "account_enabled"
        case credentialChangeRequired = "credential_change_required"
        /// A test that the operator has asked for.
        case verification
        /// A kind that Gatehouse does not know, or that means nothing here.
        case other
    }

    package struct Entry: Sendable, Equatable {
        package let kind: Kind
        /// Nil for an event that names no user.
        package let subject: String?

        package init(_ kind: Kind, subject: String?) {
            (self.kind, self.subject) = (kind, subject)
        }
    }

    package let provider: Provider
    /// The same each time the provider sends the message.
    package let id: String
    package let issuedAt: Timestamp
    package let entries: [Entry]

    package init(provider: Provider, id: String, issuedAt: Timestamp, entries: [Entry]) {
        (self.provider, self.id, self.issuedAt, self.entries) = (provider, id, issuedAt, entries)
    }

    /// A session that was opened after this moment is newer than the message. Its time may be whole seconds, so the rest of
    /// the second is added.
    package var horizon: Timestamp { issuedAt + .milliseconds(999) }
}

extension SecurityEvents.Kind {
    package enum Effect: Sendable, Equatable {
        case none
        /// Ends the sessions that the provider has opened.
        case endOwnSessions
        /// Ends every session of the user: an attacker who has the account may have linked others.
        case endAllSessions
    }

    package var effect: Effect {
        switch self {
        case .sessionsRevoked, .accountHijacked: .endAllSessions
        case .tokensRevoked: .endOwnSessions
        case .accountDisabled, .accountEnabled, .credentialChangeRequired, .verification, .other: .none
        }
    }
}

/// Verifies the messages about security that one provider sends.
package protocol SecurityEventVerifier: Sendable {
    /// - Throws: `.identity` for a message that is not valid, `.providerUnavailable` when that cannot be decided.
    func verify(securityEvents: String, now: Timestamp, requestID: String?) throws(Refusal) -> SecurityEvents
}

extension AuthService {
    /// Applies a provider's message once. It has been committed when this returns, so the provider need not repeat it.
    package func receive(
        securityEvents text: String, from provider: Provider, requestID: String
    ) throws(Refusal) {
        guard let verifier = providers[provider] as? any SecurityEventVerifier else { throw .unknownProvider }
        let now = platform.now()
        let events = try verifier.verify(securityEvents: text, now: now, requestID: requestID)
        let ended = try store.apply(events, now: now)
        announce(ended, requestID: requestID)
        for entry in events.entries { report(.securityEventApplied(entry.kind), requestID) }
    }
}
