/// What becomes of Apple's record that a deleted user has used the app.
package enum AppleRevocation: Sendable, Equatable {
    /// They never have.
    case notNeeded
    /// Apple will be told.
    case queued
    /// We have nothing to tell Apple with: only the user can do it.
    case byHand
}
