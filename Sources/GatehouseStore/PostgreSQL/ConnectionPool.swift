import POSIX
import PostgreSQL
import Synchronization
import Threading

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

    func use<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let opened = try take()
        defer { putBack(opened) }
        return try BlockingHint.around { try servers.use(opened, body) }
    }

    private func take() throws -> ServerConnection {
        waitingCount.add(1, ordering: .relaxed)
        defer { waitingCount.subtract(1, ordering: .relaxed) }
        let deadline = MonotonicTime.now + timeout
        while true {
            let found = state.wait(atMost: .milliseconds(deadline.millisecondsLeft)) { state -> ServerConnection?? in
                if let idle = state.idle.popLast() { return idle }
                guard state.openCount < limit else { return nil }
                state.openCount += 1
                return .some(nil)
            }
            guard let found else { throw PoolExhausted() }
            guard let idle = found else { return try open() }
            if servers.isCurrent(idle) { return idle }
            state.changeForOne { $0.openCount -= 1 }
        }
    }

    private func open() throws -> ServerConnection {
        do { return try servers.connect() } catch {
            state.changeForOne { $0.openCount -= 1 }
            throw error
        }
    }

    private func putBack(_ opened: ServerConnection) {
        let isReusable = servers.isCurrent(opened) && !opened.connection.isInTransaction
        state.changeForOne { state in
            if isReusable { state.idle.append(opened) } else { state.openCount -= 1 }
        }
    }
}

/// All connections were in use for too long.
struct PoolExhausted: Error {}

/// A connection for one batch at a time, opened when it is first needed and after each loss.
///
/// `@unchecked Sendable`: only the leader of a batch queue uses it, one at a time.
final class BatchConnection: @unchecked Sendable {
    private let servers: Servers
    private var opened: ServerConnection?

    init(_ servers: Servers) {
        self.servers = servers
    }

    func use<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        if let opened, servers.isCurrent(opened), !opened.connection.isInTransaction {
            return try servers.use(opened, body)
        }
        opened = nil
        let new = try servers.connect()
        opened = new
        return try servers.use(new, body)
    }
}
