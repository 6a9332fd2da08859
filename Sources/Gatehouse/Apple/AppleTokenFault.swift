/// Why an identity token was refused: the `reason` that goes with `invalid_apple_token`.
package enum AppleTokenFault: String, Error, Sendable, CaseIterable {
    case malformed
    case algorithm
    case unknownKey = "unknown_key"
    case signature
    case issuer
    case audience
    case expired
    case notYetValid = "not_yet_valid"
    case nonce
    case code
    case user
    case replayed
}
