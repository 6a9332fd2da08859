/// How a write ended, and when.
package struct WriteOutcome: Sendable {
    /// Nil where it has been committed.
    package let failure: StoreFailure?
    package let moment: ContinuousClock.Instant

    package init(failure: StoreFailure?, at moment: ContinuousClock.Instant) {
        self.failure = failure
        self.moment = moment
    }
}
