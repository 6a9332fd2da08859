/// What sign-ins through a browser need besides tokens: random texts, PKCE, and the encryption of what was proven.
/// `JWTTokenService` implements it.
package protocol WebSignInSecrets: Sendable {
    /// Bytes as a text for addresses and cookies.
    func text(of random: [UInt8]) -> String

    /// Whether the challenge is the hash of the verifier (RFC 7636, method S256). Compares in constant time.
    func isCodeVerifier(_ verifier: String, of challenge: String) -> Bool

    /// Without a redemption: the code is what is redeemed next.
    func seal(_ proof: ProvenIdentity, withCode code: String) -> [UInt8]

    /// Nil if it was sealed with another code, or with a secret that is not configured any more.
    func open(_ sealed: [UInt8], withCode code: String) -> ProvenIdentity?
}
