/// What becomes of an account whose user has told Apple that the app may not know them any more. Its sessions end anyway.
package enum ConsentPolicy: String, Sendable, CaseIterable {
    /// They can sign in again, as the same user.
    case keep
    /// The account does not belong to that Apple Account any more; one with no other way of signing in is deleted.
    case unlink
    case delete
}
