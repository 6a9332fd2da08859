/// What came of taking a way of signing in away from a user.
package enum UnlinkOutcome: Sendable, Equatable {
    /// Also where there was none.
    case unlinked
    /// They would have no way left.
    case last
}
