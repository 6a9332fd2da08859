/// Writes and reads Gatehouse's own tokens. `JWTTokenService` implements it.
///
/// Reading throws only the refusals that belong to the kind of token.
package protocol TokenService: CodeService, WebSignInSecrets, PasskeyCeremonies {
    func accessToken(_ claims: AccessClaims) -> String

    /// Equal claims give equal bytes.
    func refreshToken(_ claims: RefreshClaims) -> String

    /// The refresh token with these claims and this hash, signed with any of the configured secrets; nil if no secret
    /// gives this hash.
    func refreshToken(_ claims: RefreshClaims, hashedAs hash: [UInt8]) -> String?

    /// - Parameter token: as bytes, since nothing of it is read as text before its signature is verified.
    func readAccessToken(_ token: ArraySlice<UInt8>, now: Timestamp) throws(Refusal) -> Caller

    /// The role in a token of this installation that has expired; nil for any other text.
    func role(inExpired token: ArraySlice<UInt8>) -> Role?

    /// The same with all claims, for services that ask about a token.
    func readAccessClaims(_ token: String, now: Timestamp) throws(Refusal) -> AccessClaims

    /// `iss` and `aud` of access tokens.
    var issuer: String { get }
    var audience: String { get }

    /// An expired token is also returned: the session's row decides whether it still has a use.
    func readRefreshToken(_ token: String) throws(Refusal) -> PresentedToken

    /// The kind that a token has by its header, which is not verified; nil for a text that is no token of Gatehouse.
    func apparentKind(of token: String) -> TokenKind?

    /// SHA-256 of a token. The store receives only this hash, never the token.
    func hash(_ token: String) -> [UInt8]

    /// The random part of a session's refresh token of this generation. It cannot be known without the seed, nor the seed
    /// from any number of tokens.
    func random(ofGeneration generation: Int64, seed: [UInt8]) -> [UInt8]

    /// Reads a proof, which contains its key, and verifies its signature.
    func readProof(_ text: ArraySlice<UInt8>) throws(DPoPFault) -> DPoPProof

    /// A nonce for proofs, that can be verified later without having been stored.
    func proofNonce(expiresAt: Timestamp) -> String

    /// Nil if this installation did not make the nonce.
    func expiry(ofProofNonce nonce: String) -> Timestamp?

    /// A nonce that can be verified later without having been stored.
    func challenge(expiresAt: Timestamp) -> Challenge

    /// The challenge in a nonce; nil if this installation did not make it. An expired challenge is also returned.
    func readChallenge(_ nonce: String) -> Challenge?
}

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
