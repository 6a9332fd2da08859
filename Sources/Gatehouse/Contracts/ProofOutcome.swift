/// What came of proving a login anew by an identity token.
package enum ProofOutcome: Sendable, Equatable {
    case accepted
    /// The identity is not one of the user's.
    case otherUser
    case replayed
    case usedNonce
}
