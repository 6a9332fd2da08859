import Gatehouse
import JOSE
import JSON

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
