/// What came of linking an identity to a user.
package enum LinkOutcome: Sendable, Equatable {
    /// Also where it was so already.
    case linked
    /// It is somebody else's, or the user has another one of this provider.
    case taken
    case replayed
    case usedNonce
    /// The user is not active any more.
    case outdated
}
