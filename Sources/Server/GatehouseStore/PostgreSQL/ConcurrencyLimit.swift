import Gatehouse
import POSIX
import Synchronization

/// Limits how many requests wait for the database, so that threads are left for requests that do not need it.
///
/// Requests above the limit wait here for their turn. They fail if the database gives no answer for `silence`.
final class ConcurrencyLimit: Sendable {
    private static let silence = Duration.milliseconds(500)

    private struct State {
        var count = 0
        var waiting = 0
        var lastAnswer = MonotonicTime.now
    }

    private let limit: Int
    private let state = Mutex(State())
    private let departures = Monitor(())

    init(_ limit: Int) {
        self.limit = limit
    }

    /// - Parameter end: until when a request waits for its turn.
    func run<Result>(until end: MonotonicTime, _ work: () throws -> Result) throws -> Result {
        if !enter() { try waitForTurn(until: end) }
        var hasAnswer = false
        defer { leave(hasAnswer) }
        let result = try work()
        hasAnswer = true
        return result
    }

    private func enter() -> Bool {
        state.withLock { state in
            guard state.count < limit else { return false }
            state.count += 1
            return true
        }
    }

    private func leave(_ hasAnswer: Bool) {
        let someWait = state.withLock { state in
            state.count -= 1
            if hasAnswer { state.lastAnswer = .now }
            return state.waiting > 0
        }
        if someWait { departures.changeForOne { _ in } }
    }

    private func waitForTurn(until end: MonotonicTime) throws {
        let entered = MonotonicTime.now
        state.withLock { $0.waiting += 1 }
        defer { state.withLock { $0.waiting -= 1 } }
        while departures.wait(atMost: .milliseconds(100), for: { _ in enter() ? () : nil }) == nil {
            let lastAnswer = state.withLock { $0.lastAnswer }
            guard .now < min(max(lastAnswer, entered) + Self.silence, end) else {
                throw StoreFailure("the database does not answer, and enough requests wait for it", cause: .unreachable)
            }
        }
    }
}
