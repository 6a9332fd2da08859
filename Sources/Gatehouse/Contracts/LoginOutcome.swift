/// What came of recording a login.
package enum LoginOutcome: Sendable, Equatable {
    /// The user as they are now.
    case recorded(User)
    /// The identity token has been used before.
    case replayed
    /// The nonce has been used before, with another token.
    case usedNonce
    /// The user or the identity is not as it was when the login was decided on.
    case outdated
}
