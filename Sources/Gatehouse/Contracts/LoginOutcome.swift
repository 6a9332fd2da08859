/// What came of recording a login.
package enum LoginOutcome: Sendable, Equatable {
    /// The user as they are now.
    case recorded(User)
    /// The identity token has been used before.
    case replayed
    /// The nonce has been used before, with another token.
    case usedNonce
    /// The identity's user is not active.
    case inactive(User)
}
