import Gatehouse
import JOSE
package import JSON

/// An identity token that has passed every check except those that need Apple's key.
package struct IdentityToken: Sendable {
    package static let longest = AppleJWS.maximumByteCount

    private let jws: AppleJWS
    private let subject: String
    private let audience: String
    private let lifetime: Lifetime

    init(
        _ text: String, policy: IdentityTokenPolicy, now: Timestamp, passed: IdentityTokenCheck.Observer
    ) throws(IdentityFault) {
        jws = try AppleJWS(text, passed: passed)
        // A notification has the same issuer, keys and audience. Only `events` tells it from a login.
        guard jws.claims["events"] == nil else { throw .malformed(.isNotification) }
        passed(.claims)
        guard let subject = jws.claims["sub"]?.identifier else { throw .malformed(.unusable(.claims, member: "sub")) }
        self.subject = subject
        passed(.subject)
        audience = try jws.audience(policy, passed: passed)
        lifetime = try Lifetime(jws.claims)
        try lifetime.check(now: now, leeway: policy.leeway)
        passed(.times)
    }

    package var claims: JSONObjectReader { jws.claims }

    package var keyID: String { jws.keyID }

    func verify(with key: VerificationKey) throws(IdentityFault) {
        try jws.verify(with: key)
    }

    var assertion: IdentityAssertion {
        let claims = jws.claims
        let status = claims["real_user_status"]?.integer.flatMap { (0...2).contains($0) ? Int($0) : nil }
        return IdentityAssertion(
            subject: subject, clientID: audience, tokenHash: jws.hash, issuedAt: lifetime.issuedAt,
            expiresAt: lifetime.expiresAt, email: claims["email"]?.email, emailVerified: claims["email_verified"]?.flag,
            isPrivateEmail: claims["is_private_email"]?.flag, realUserStatus: status,
            transferSubject: claims["transfer_sub"]?.identifier)
    }
}

/// The time in which a token is valid.
private struct Lifetime {
    let issuedAt: Timestamp
    let expiresAt: Timestamp
    private let notBefore: Timestamp?

    init(_ claims: JSONObjectReader) throws(IdentityFault) {
        issuedAt = try Self.time("iat", in: claims)
        expiresAt = try Self.time("exp", in: claims)
        notBefore = claims["nbf"] == nil ? nil : try Self.time("nbf", in: claims)
    }

    private static func time(_ name: String, in claims: JSONObjectReader) throws(IdentityFault) -> Timestamp {
        guard let time = claims[name]?.time else { throw .malformed(.unusable(.claims, member: name)) }
        return time
    }

    func check(now: Timestamp, leeway: Duration) throws(IdentityFault) {
        guard now < expiresAt + leeway else { throw .expired }
        guard max(issuedAt, notBefore ?? issuedAt) <= now + leeway else { throw .notYetValid }
    }
}
