package import Gatehouse
package import JOSE
package import JSON

/// A notification from Apple's servers that has passed every check except the signature. As with an identity token, no
/// key is fetched for one that would be refused anyway.
package struct SignedNotification: Sendable {
    private let jws: SignedToken
    private let audience: String
    private let issuedAt: Timestamp
    private let event: NotificationEvent

    package init(_ text: String, rules: TokenRules, now: Timestamp) throws(IdentityFault) {
        jws = try SignedToken(text, rules: rules)
        // An identity token has no `events`.
        guard let events = jws.claims["events"] else { throw .malformed(.isNoNotification) }
        audience = try jws.audience(rules)
        issuedAt = try Self.issuedAt(jws.claims, now: now, leeway: rules.leeway)
        event = try NotificationEvent(events)
    }

    package var key: KeyReference { jws.key }

    package var claims: JSONObjectReader { jws.claims }

    package func confirmed(by keys: [VerificationKey]) throws(IdentityFault) -> AppleNotification {
        try jws.verify(with: keys)
        return AppleNotification(
            id: id, kind: event.kind, subject: event.subject, audience: audience, moment: event.time ?? issuedAt,
            issuedAt: issuedAt, email: event.email, isPrivateEmail: event.isPrivateEmail)
    }

    /// Without a usable `jti`, the hash of the content: it is the same each time Apple sends the notification.
    private var id: String { jws.claims["jti"]?.identifier ?? Base64URL.encode(jws.hash) }

    /// `exp` is checked if it is there. It may be missing: an event in the past remains true.
    private static func issuedAt(
        _ claims: JSONObjectReader, now: Timestamp, leeway: Duration
    ) throws(IdentityFault) -> Timestamp {
        guard let issuedAt = claims["iat"]?.timeInSecondsOrMilliseconds else {
            throw .malformed(.unusable(.claims, member: "iat"))
        }
        guard issuedAt <= now + leeway else { throw .notYetValid }
        if let claim = claims["exp"] {
            guard let expiresAt = claim.timeInSecondsOrMilliseconds else {
                throw .malformed(.unusable(.claims, member: "exp"))
            }
            guard now < expiresAt + leeway else { throw .expired }
        }
        return issuedAt
    }
}

/// The event in a notification, in any of the forms that Apple documents or sends.
private struct NotificationEvent {
    let kind: AppleNotification.Kind
    /// Empty if an event of an unknown kind names no user.
    let subject: String
    let time: Timestamp?
    let email: String?
    let isPrivateEmail: Bool?

    init(_ claim: JSONValue) throws(IdentityFault) {
        let unusable = IdentityFault.malformed(.unusable(.claims, member: "events"))
        guard let event = Self.object(claim), let type = event["type"]?.string else { throw unusable }
        kind = Self.kind(type)
        let subject = event["sub"]?.identifier
        guard subject != nil || kind == .other else { throw unusable }
        self.subject = subject ?? ""
        time = event["event_time"]?.timeInSecondsOrMilliseconds
        email = event["email"]?.email
        isPrivateEmail = event["is_private_email"]?.flag
    }

    private static func kind(_ type: String) -> AppleNotification.Kind {
        switch type {
        case "email-disabled": .emailDisabled
        case "email-enabled": .emailEnabled
        case "consent-revoked": .consentRevoked
        case "account-delete", "account-deleted": .accountDeleted
        default: .other
        }
    }

    /// An object, a text that contains an object, or an array with one of these as its only element.
    private static func object(_ claim: JSONValue) -> JSONObject? {
        let single = claim.array.flatMap { $0.count == 1 ? $0[0] : nil } ?? claim
        if let text = single.string { return (try? JSONValue(parsing: text))?.object }
        return single.object
    }
}
