package import Gatehouse
package import JOSE

/// Tells genuine identity tokens from all others, in two steps with the search for the key between them: nobody
/// looks for the key of a token that is bad anyway.
package struct IdentityTokenVerifier: Sendable {
    package let policy: IdentityTokenPolicy

    package init(policy: IdentityTokenPolicy) {
        self.policy = policy
    }

    /// Everything that can be known without a key.
    package func inspect(
        _ text: String, now: Timestamp, passed: IdentityTokenCheck.Observer = { _ in }
    ) throws(AppleTokenFault) -> IdentityToken {
        try IdentityToken(text, policy: policy, now: now, passed: passed)
    }

    /// The signature, and what ties the token to the request that brought it.
    package func confirm(
        _ token: IdentityToken, with key: VerificationKey, for credential: AppleCredential,
        passed: IdentityTokenCheck.Observer = { _ in }
    ) throws(AppleTokenFault) -> AppleAssertion {
        try token.verify(with: key)
        passed(.signature)
        try Binding(claims: token.claims, credential: credential).check(rule: policy.nonce, passed: passed)
        return token.assertion
    }
}
