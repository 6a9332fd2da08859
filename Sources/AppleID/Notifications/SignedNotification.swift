package import Gatehouse
package import JOSE
package import JSON

/// A notification from Apple's servers whose form and claims are right, and whose signature nobody has looked at yet.
///
/// As with an identity token, nothing is fetched for one that is bad anyway.
package struct SignedNotification: Sendable {
    private let jws: AppleJWS
    private let audience: String
    private let issuedAt: Timestamp
    private let event: NotificationEvent

    package init(_ text: String, policy: IdentityTokenPolicy, now: Timestamp) throws(AppleTokenFault) {
        jws = try AppleJWS(text)
        // An identity token has none, and tells of no event.
        guard let events = jws.claims["events"] else { throw .malformed }
        audience = try jws.audience(policy)
        issuedAt = try Self.issued(jws.claims, now: now, leeway: policy.leeway)
        event = try NotificationEvent(events)
    }

    package var keyID: String { jws.keyID }

    package var claims: JSONObjectReader { jws.claims }

    package func confirmed(by key: VerificationKey) throws(AppleTokenFault) -> AppleNotification {
        try jws.verify(with: key)
        return AppleNotification(
            id: id, kind: event.kind, subject: event.subject, audience: audience, moment: event.moment ?? issuedAt,
            issuedAt: issuedAt, email: event.email, isPrivateEmail: event.isPrivateEmail)
    }

    /// One that was sent without a name is named by what it says, so that it is the same when it is sent again.
    private var id: String {
        guard let id = jws.claims["jti"]?.string, (1...256).contains(id.utf8.count) else {
            return Base64URL.encode(jws.hash)
        }
        return id
    }

    /// When it was written. It need not have an end: what has happened stays true.
    private static func issued(
        _ claims: JSONObjectReader, now: Timestamp, leeway: Duration
    ) throws(AppleTokenFault) -> Timestamp {
        guard let issued = claims["iat"]?.momentInEitherUnit else { throw .malformed }
        guard issued <= now + leeway else { throw .notYetValid }
        if let end = claims["exp"] {
            guard let expires = end.momentInEitherUnit else { throw .malformed }
            guard now < expires + leeway else { throw .expired }
        }
        return issued
    }
}
