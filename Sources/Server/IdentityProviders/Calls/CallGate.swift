import Synchronization

/// Limits how many logins wait for a provider at the same time, because each of them occupies a worker thread.
///
/// A login that would exceed the limit is refused at once: the providers of an installation must not slow each other down,
/// or the requests that need none of them.
package final class CallGate: Sendable {
    private let limit: Int
    private let shared: CallGate?
    private let waiting = Mutex(0)

    /// - Parameter shared: a second limit, which the gates of several providers have in common.
    package init(limit: Int, shared: CallGate? = nil) {
        self.limit = limit
        self.shared = shared
    }

    /// Number of logins inside, for metrics.
    package var count: Int { waiting.withLock { $0 } }

    /// Returns nil, without a call of the body, if one of the limits is reached.
    func pass<Outcome, Failure>(_ body: () throws(Failure) -> Outcome) throws(Failure) -> Outcome? {
        guard enter() else { return nil }
        defer { leave() }
        guard let shared else { return try body() }
        return try shared.pass(body)
    }

    private func enter() -> Bool {
        waiting.withLock { waiting in
            guard waiting < limit else { return false }
            waiting += 1
            return true
        }
    }

    private func leave() {
        waiting.withLock { $0 -= 1 }
    }
}
