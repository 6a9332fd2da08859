package import Gatehouse
import JOSE
import JSON

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

/// A security event token of Google (RFC 8417) that has passed every check except the signature.
struct SignedGoogleEvent {
    private let jws: SignedToken
    private let event: GoogleEvent

    /// `exp` is not checked: an event in the past remains true.
    init(_ text: String, rules: TokenRules, now: Timestamp) throws(IdentityFault) {
        jws = try SignedToken(text, rules: rules)
        // An identity token has no `events`.
        guard let claim = jws.claims["events"] else { throw .malformed(.isNoNotification) }
        let audience = try jws.audience(rules)
        guard let id = jws.claims["jti"]?.identifier else { throw .malformed(.unusable(.claims, member: "jti")) }
        guard let issuedAt = jws.claims["iat"]?.time else { throw .malformed(.unusable(.claims, member: "iat")) }
        guard issuedAt <= now + rules.leeway else { throw .notYetValid }
        guard let members = claim.object?.members, !members.isEmpty else {
            throw .malformed(.unusable(.claims, member: "events"))
        }
        event = GoogleEvent(
            id: id, audience: audience, issuedAt: issuedAt,
            entries: members.map { GoogleEvent.Entry(type: $0.name, $0.value, issuers: rules.issuers) })
    }

    var key: KeyReference { jws.key }

    func confirmed(by keys: [VerificationKey]) throws(IdentityFault) -> GoogleEvent {
        try jws.verify(with: keys)
        return event
    }
}

extension TokenRules {
    /// For the security events about users of the same apps. Google writes its issuer with a slash at the end or
    /// without.
    var forEvents: TokenRules {
        let issuers = issuers.filter { $0.contains("://") }
        return TokenRules(
            issuers: issuers + issuers.map { $0 + "/" }, audiences: audiences, audienceList: .any, algorithms: [.RS256],
            types: ["secevent+jwt", "jwt"], demandsKeyID: true, nonce: .ifSent, secret: .accessToken, maximumAge: nil,
            required: [], user: user, leeway: leeway)
    }
}
