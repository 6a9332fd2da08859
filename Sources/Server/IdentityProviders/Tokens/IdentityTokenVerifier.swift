package import Gatehouse
package import JOSE

/// Verifies identity tokens in two steps. The caller looks up the provider's key between them, so that no key is
/// fetched for a token that would be refused anyway.
package struct IdentityTokenVerifier: Sendable {
    let rules: TokenRules

    package init(_ rules: TokenRules) {
        self.rules = rules
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

    /// Called after each check that a token has passed, also after those that its rules leave nothing to do.
    package typealias Observer = (IdentityTokenCheck) -> Void
}
