import Gatehouse
import POSIX
import PostgreSQL
import Synchronization

/// Connections for transactions that do not share one, at most `limit` at a time.
final class ConnectionPool: Sendable {
    private struct State {
        var idle: [ServerConnection] = []
        var openCount = 0
    }

    private let servers: Servers
    private let limit: Int
    private let timeout: Duration
    private let waitingCount = Atomic(0)
    private let state = Monitor(State())

    /// - Parameter timeout: how long to wait for a connection when all are in use.
    init(_ servers: Servers, limit: Int, timeout: Duration) {
        (self.servers, self.limit, self.timeout) = (servers, limit, timeout)
    }

    /// For metrics.
    var statistics: PoolStatistics {
        state.change { state in
            PoolStatistics(
                limit: limit, open: state.openCount, inUse: state.openCount - state.idle.count,
                waiting: waitingCount.load(ordering: .relaxed))
        }
    }

    func use<Result>(until end: MonotonicTime, _ body: (Connection) throws -> Result) throws -> Result {
        let opened = try take(until: end)
        defer { putBack(opened) }
        return try BlockingSection.run { try servers.use(opened, until: end, body) }
    }

    private func take(until end: MonotonicTime) throws -> ServerConnection {
        waitingCount.add(1, ordering: .relaxed)
        defer { waitingCount.subtract(1, ordering: .relaxed) }
        let deadline = min(MonotonicTime.now + timeout, end)
        let found = state.wait(atMost: .milliseconds(deadline.millisecondsLeft)) { state -> ServerConnection?? in
            if let idle = state.idle.popLast() { return idle }
            guard state.openCount < limit else { return nil }
            state.openCount += 1
            return .some(nil)
        }
        guard let found else { throw PoolExhausted() }
        do { return try found.map { try servers.current($0, until: end) } ?? servers.connect(until: end) } catch {
            state.changeForOne { $0.openCount -= 1 }
            throw error
        }
    }

    private func putBack(_ opened: ServerConnection) {
        // Whether the connection is current is checked when it is taken again.
        let isReusable = opened.connection.isUsable && !opened.connection.isInTransaction
        state.changeForOne { state in
            if isReusable { state.idle.append(opened) } else { state.openCount -= 1 }
        }
    }
}

/// All connections were in use for too long.
struct PoolExhausted: Error {}

extension ConnectionPool: ConnectionLender {
    func lend<Result>(
        orWaitFor time: Duration?, _ body: (ServerConnection) throws -> Result
    ) throws -> Result? {
        let idle = state.wait(atMost: time ?? .zero) { state in
            state.idle.popLast().map(Optional.some) ?? (state.openCount == 0 ? .some(nil) : nil)
        }
        guard var lent = idle ?? nil else { return nil }
        defer { putBack(lent) }
        guard time != nil || servers.isCurrent(lent) else { return nil }
        lent = try servers.current(lent)
        return try body(lent)
    }
}

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
