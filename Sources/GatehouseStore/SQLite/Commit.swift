/// A transaction that the one writer has run.
package struct Commit: Sendable, Equatable {
    /// How many callers waited for it.
    package let writes: Int
    package let nanoseconds: Int
    /// All of it, whatever each write thought of itself.
    package let hasFailed: Bool
}
