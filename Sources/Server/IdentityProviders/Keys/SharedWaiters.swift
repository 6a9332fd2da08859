import Synchronization

/// Limits the requests that fetch a key set or wait for one, of all providers that share it. Each of them occupies a
/// worker thread, so many providers that do not answer could together occupy all.
package final class SharedWaiters: Sendable {
    private let limit: Int
    private let waiters = Atomic(0)

    package init(limit: Int) {
        self.limit = limit
    }

    /// The number of requests that fetch or wait now.
    package var count: Int { waiters.load(ordering: .relaxed) }

    /// False if the limit is reached. Otherwise the caller calls `leave` when it has finished.
    func enter() -> Bool {
        guard waiters.add(1, ordering: .relaxed).newValue <= limit else {
            leave()
            return false
        }
        return true
    }

    func leave() {
        waiters.subtract(1, ordering: .relaxed)
    }
}
