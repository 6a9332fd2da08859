package import Gatehouse
package import JOSE
package import JSON

/// An identity token that has passed every check except those that need the provider's key. So no key is fetched for a
/// token that would be refused anyway.
package struct IdentityToken: Sendable {
    package static let longest = SignedToken.maximumByteCount

    private let jws: SignedToken
    private let subject: String
    private let audience: String
    private let lifetime: TokenLifetime

    package init(
        _ text: String, rules: TokenRules, now: Timestamp, passed: IdentityTokenCheck.Observer = { _ in }
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

    package var key: KeyReference { jws.key }

    /// Checks the signature, and that the token belongs to the request that contained it, and returns what it proves.
    ///
    /// - Parameter grace: how long the token may be redeemed again by a client that retries.
    package func proven(
        of provider: Provider, by rules: TokenRules, with keys: [VerificationKey], for credential: IdentityCredential,
        grace: Duration = .zero, now: Timestamp, passed: IdentityTokenCheck.Observer = { _ in }
    ) throws(IdentityFault) -> ProvenIdentity {
        try jws.verify(with: keys)
        passed(.signature)
        try BindingClaims(token: self, credential: credential).check(by: rules, passed: passed)
        var proven = ProvenIdentity(
            identity: Identity(provider: provider, subject: subject, email: claims["email"]?.email),
            clientID: audience, issuedAt: lifetime.issuedAt,
            redemption: Redemption(tokenHash: jws.hash, moment: now, grace: grace, expiresAt: lifetime.expiresAt))
        rules.user.add(claims, to: &proven)
        return proven
    }
}

/// A check of an identity token.
package enum IdentityTokenCheck: String, Sendable {
    case form
    case algorithm
    case keyID = "key id"
    case type
    case claims
    case subject
    case issuer
    case audience
    case authorizedParty = "authorized party"
    case times
    case requiredClaims = "required claims"
    case key
    case signature
    case nonce
    case code
    case accessToken = "access token"
    case user

    /// Called after each check that a token has passed, also after those that its rules leave nothing to do.
    package typealias Observer = (IdentityTokenCheck) -> Void
}

/// The time in which a token is valid.
struct TokenLifetime {
    let issuedAt: Timestamp
    let expiresAt: Timestamp
    private let notBefore: Timestamp?

    /// No OpenID provider issues an identity token for longer. A larger `exp` is a mistake, such as milliseconds.
    private static let longest = Duration.seconds(24 * 3600)

    init(_ claims: JSONObjectReader) throws(IdentityFault) {
        issuedAt = try Self.time("iat", in: claims)
        expiresAt = try Self.time("exp", in: claims)
        notBefore = claims["nbf"] == nil ? nil : try Self.time("nbf", in: claims)
    }

    private static func time(_ name: String, in claims: JSONObjectReader) throws(IdentityFault) -> Timestamp {
        guard let time = claims[name]?.time else { throw .malformed(.unusable(.claims, member: name)) }
        return time
    }

    func check(now: Timestamp, by rules: TokenRules) throws(IdentityFault) {
        let leeway = rules.leeway
        guard now < expiresAt + leeway else { throw .expired }
        guard max(issuedAt, notBefore ?? issuedAt) <= now + leeway else { throw .notYetValid }
        guard let maximumAge = rules.maximumAge else { return }
        guard expiresAt <= issuedAt + Self.longest + leeway else {
            throw .malformed(.unusable(.claims, member: "exp"))
        }
        guard now < issuedAt + maximumAge + leeway else { throw .expired }
    }
}
