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
        self.servers = servers
        self.limit = limit
        self.timeout = timeout
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
