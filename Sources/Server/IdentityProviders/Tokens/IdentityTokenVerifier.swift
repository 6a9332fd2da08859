package import Gatehouse
package import JOSE

/// Verifies identity tokens in two steps. The caller looks up the provider's key between them, so that no key is
/// fetched for a token that would be refused anyway.
package struct IdentityTokenVerifier: Sendable {
    let rules: TokenRules

    init(rules: TokenRules) {
        self.rules = rules
    }

    /// For the tokens of Apple.
    package init(policy: IdentityTokenPolicy) {
        rules = policy.rules
    }

    /// For the tokens of an OpenID provider.
    package init(openID policy: OpenIDPolicy) {
        rules = policy.rules
    }

    /// Checks everything that needs no key.
    package func inspect(
        _ text: String, now: Timestamp, passed: IdentityTokenCheck.Observer = { _ in }
    ) throws(IdentityFault) -> IdentityToken {
        try IdentityToken(text, rules: rules, now: now, passed: passed)
    }

    /// Checks the signature, and that the token belongs to the request that contained it.
    package func confirm(
        _ token: IdentityToken, with keys: [VerificationKey], for credential: IdentityCredential,
        passed: IdentityTokenCheck.Observer = { _ in }
    ) throws(IdentityFault) -> IdentityAssertion {
        try token.verify(with: keys)
        passed(.signature)
        try RequestBinding(token: token, credential: credential).check(by: rules, passed: passed)
        return token.assertion(by: rules)
    }

    /// The same with one key.
    package func confirm(
        _ token: IdentityToken, with key: VerificationKey, for credential: IdentityCredential,
        passed: IdentityTokenCheck.Observer = { _ in }
    ) throws(IdentityFault) -> IdentityAssertion {
        try confirm(token, with: [key], for: credential, passed: passed)
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

    /// The checks of Apple's tokens, in the order in which they are made.
    package static let ofApple: [IdentityTokenCheck] = [
        .form, .algorithm, .keyID, .claims, .subject, .issuer, .audience, .times, .key, .signature, .nonce, .code,
        .user,
    ]

    /// The checks of an OpenID provider's tokens, in the order in which they are made.
    package static let ofOpenID: [IdentityTokenCheck] = [
        .form, .algorithm, .keyID, .type, .claims, .subject, .issuer, .audience, .authorizedParty, .times,
        .requiredClaims, .key, .signature, .nonce, .accessToken,
    ]

    /// Called after each check that a token has passed.
    package typealias Observer = (IdentityTokenCheck) -> Void
}
