import Gatehouse
import JOSE
package import JSON

/// An identity token that has passed every check except those that need the provider's key.
package struct IdentityToken: Sendable {
    package static let longest = SignedToken.maximumByteCount

    private let jws: SignedToken
    private let subject: String
    private let audience: String
    private let lifetime: TokenLifetime

    init(
        _ text: String, rules: TokenRules, now: Timestamp, passed: IdentityTokenCheck.Observer
    ) throws(IdentityFault) {
        jws = try SignedToken(text, rules: rules, passed: passed)
        // A notification has the same issuer, keys and audience. Only `events` tells it from a login.
        guard jws.claims["events"] == nil else { throw .malformed(.isNotification) }
        passed(.claims)
        guard let subject = rules.user.subject(in: jws.claims) else {
            throw .malformed(.unusable(.claims, member: "sub"))
        }
        self.subject = subject
        passed(.subject)
        audience = try jws.audience(rules, passed: passed)
        lifetime = try TokenLifetime(jws.claims)
        try lifetime.check(now: now, by: rules)
        passed(.times)
        try rules.checkRequired(in: jws.claims)
        passed(.requiredClaims)
    }

    package var claims: JSONObjectReader { jws.claims }

    package var keyID: String? { jws.key.keyID }

    package var key: KeyReference { jws.key }

    func verify(with keys: [VerificationKey]) throws(IdentityFault) {
        try jws.verify(with: keys)
    }

    func assertion(by rules: TokenRules) -> IdentityAssertion {
        var assertion = IdentityAssertion(
            subject: subject, clientID: audience, tokenHash: jws.hash, issuedAt: lifetime.issuedAt,
            expiresAt: lifetime.expiresAt, email: claims["email"]?.email)
        rules.user.add(claims, to: &assertion)
        return assertion
    }
}
