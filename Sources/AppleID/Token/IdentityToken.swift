import Gatehouse
import JOSE
package import JSON

/// An identity token whose form and claims are right, and whose signature nobody has looked at yet.
///
/// Everything that can be known without Apple's key is checked while making one, so that a token which fails here has
/// cost no signature and no fetch.
package struct IdentityToken: Sendable {
    package static let longest = AppleJWS.longest

    private let jws: AppleJWS
    private let subject: String
    private let audience: String
    private let lifetime: Lifetime

    init(
        _ text: String, policy: IdentityTokenPolicy, now: Timestamp, passed: IdentityTokenCheck.Observer
    ) throws(AppleTokenFault) {
        jws = try AppleJWS(text, passed: passed)
        // A notification from Apple's servers has the same issuer, keys and audience, and is no login.
        guard jws.claims["events"] == nil else { throw .malformed }
        passed(.claims)
        guard let subject = jws.claims["sub"]?.subject else { throw .malformed }
        self.subject = subject
        passed(.subject)
        audience = try jws.audience(policy, passed: passed)
        lifetime = try Lifetime(jws.claims)
        try lifetime.check(now: now, leeway: policy.leeway)
        passed(.times)
    }

    package var claims: JSONObjectReader { jws.claims }

    package var keyID: String { jws.keyID }

    func verify(with key: VerificationKey) throws(AppleTokenFault) {
        try jws.verify(with: key)
    }

    /// What the token says of the person.
    var assertion: AppleAssertion {
        let claims = jws.claims
        let status = claims["real_user_status"]?.integer.flatMap { (0...2).contains($0) ? Int($0) : nil }
        return AppleAssertion(
            subject: subject, audience: audience, tokenHash: jws.hash, issuedAt: lifetime.issuedAt,
            expiresAt: lifetime.expiresAt, email: claims["email"]?.email, emailVerified: claims["email_verified"]?.flag,
            isPrivateEmail: claims["is_private_email"]?.flag, realUserStatus: status,
            transferSubject: claims["transfer_sub"]?.subject)
    }
}
