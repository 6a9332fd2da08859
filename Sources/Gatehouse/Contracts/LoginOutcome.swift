/// What came of recording a login.
package enum LoginOutcome: Sendable, Equatable {
    /// The user as they are now, and the sessions that ended because they were too many.
    case recorded(User, ended: [SessionID])
    /// The identity token has been used before.
    case replayed
    /// The nonce has been used before, with another token.
    case usedNonce
    /// The identity's user is not active.
    case inactive(User)
    /// The identity belonged to a disabled user who has been removed since.
    case barred(UserID)
}
