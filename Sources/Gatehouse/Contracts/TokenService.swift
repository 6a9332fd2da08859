/// Writes and reads our own tokens.
///
/// Reading throws only the refusals that belong to the kind of token: invalid or expired.
package protocol TokenService: Sendable {
    func accessToken(_ claims: AccessClaims) -> String

    /// The refresh token of these claims; the same claims always give the same bytes.
    func refreshToken(_ claims: RefreshClaims) -> String

    /// The refresh token of these claims that has this hash, whichever of our secrets signed it.
    func refreshToken(_ claims: RefreshClaims, hashedAs hash: [UInt8]) -> String?

    /// Whom an access token names. It is left as it came: there is nothing in it to be read as text before it is believed.
    func readAccessToken(_ token: ArraySlice<UInt8>, now: Timestamp) throws(Refusal) -> Caller

    func readRefreshToken(_ token: String, now: Timestamp) throws(Refusal) -> PresentedToken

    /// SHA-256 of a token: all that the store ever sees of it.
    func hash(_ token: String) -> [UInt8]

    /// A nonce that we recognise when it comes back, without a record of it.
    func challenge(expiresAt: Timestamp) -> Challenge

    /// The challenge that a nonce is; nil for any other text. Whether it has expired is not looked at.
    func readChallenge(_ nonce: String) -> Challenge?
}
