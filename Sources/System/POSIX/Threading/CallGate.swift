import Synchronization

/// Limits how many requests wait for a server of another party at the same time, such as a sign-in provider, an SMS gateway
/// or a mail server, because each of them occupies a worker thread.
///
/// A request that would exceed the limit is refused at once: those servers must not slow each other down, or the requests
/// that need none of them.
package final class CallGate: Sendable {
    private let limit: Int
    private let shared: CallGate?
    private let waiting = Mutex(0)

    /// - Parameter shared: a second limit, which the gates of several servers have in common.
    package init(limit: Int, shared: CallGate? = nil) {
        (self.limit, self.shared) = (limit, shared)
    }

    /// Number of requests inside, for metrics.
    package var count: Int { waiting.withLock { $0 } }

    /// Returns nil, without a call of the body, if one of the limits is reached.
    package func pass<Outcome, Failure>(_ body: () throws(Failure) -> Outcome) throws(Failure) -> Outcome? {
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
