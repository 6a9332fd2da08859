import POSIX
import PostgreSQL
import Synchronization

/// Opens connections to the primary among the servers of the URL.
///
/// An old primary that was stopped or cut off does not know at first that it was replaced, and would answer with old
/// data. Two numbers decide whether a connection may be used (`isCurrent`):
/// - The timeline, which each failover increments. Server A has timeline 3, and B is promoted to timeline 4: after the
///   first connection to B, connections to A are no longer used, and new ones are refused while this process runs.
/// - The epoch, which counts lost connections. Connections a and b have epoch 7, and a is lost: the epoch becomes 8, so
///   b must be opened anew before its next use. If b is lost later, the epoch stays 8.
///
/// After a failed attempt to connect, other threads fail at once with the same error for 200 ms, and then while one
/// thread tries again. If all of them waited, no thread would be left for requests that need no database.
final class Servers: Sendable {
    private struct State {
        var failure: PostgreSQLError?
        var failedAt = MonotonicTime.now
        var isTrying = false
        /// The newest timeline seen; 0 before the first connection.
        var timeline: Int64 = 0
        var failovers = 0
        /// The position in the URL of the server that is tried first: the primary, or the one after it once it was
        /// lost.
        var first = 0
        var nextSearch = MonotonicTime.now
    }

    private enum Turn {
        case attempt(timeline: Int64, index: Int)
        case fail(PostgreSQLError)
    }

    private static let pause = Duration.milliseconds(200)
    /// The reader of revocations connects every second during an outage, so an older failure belongs to an earlier
    /// outage.
    private static let oldFailure = Duration.seconds(2)

    private static let searchEvery = Duration.seconds(5)

    /// The number of servers in the URL.
    let count: Int
    let options: ConnectionOptions
    private let url: String
    private let state = Mutex(State())
    /// Connections of an earlier epoch are not used any more.
    private let epoch = Atomic<Int>(0)

    init(url: String, _ options: ConnectionOptions) {
        count = Connection.countServers(in: url)
        (self.url, self.options) = (url, options)
    }

    /// The timeline of the primary, which each failover increments; 0 if it is not known.
    var timeline: Int64 { state.withLock { $0.timeline } }

    /// Failovers seen.
    var failoverCount: Int { state.withLock { $0.failovers } }

    func connect(until end: MonotonicTime? = nil) throws(PostgreSQLError) -> ServerConnection {
        switch state.withLock({ takeTurn(&$0) }) {
        case .fail(let failure): throw failure
        case .attempt(let timeline, let index):
            do throws(PostgreSQLError) {
                return try connect(from: timeline, startingAt: index, until: end)
            } catch {
                state.withLock { state in
                    (state.failure, state.failedAt, state.isTrying) = (error, .now, false)
                }
                throw error
            }
        }
    }

    private func takeTurn(_ state: inout State) -> Turn {
        if let failure = state.failure {
            if state.isTrying || .now < state.failedAt + Self.pause { return .fail(failure) }
            if .now < state.failedAt + Self.oldFailure { state.isTrying = true } else { state.failure = nil }
        }
        return .attempt(timeline: state.timeline, index: state.first)
    }

    private func connect(
        from timeline: Int64, startingAt index: Int, until end: MonotonicTime? = nil
    ) throws(PostgreSQLError) -> ServerConnection {
        let epoch = epoch.load(ordering: .acquiring)
        var options = options
        options.oldestTimeline = timeline
        let connection = try BlockingSection.run { [options] () throws(PostgreSQLError) in
            try Connection(to: url, options, startingAt: index, until: end)
        }
        state.withLock { state in
            (state.failure, state.isTrying) = (nil, false)
            // Another thread may have found a newer timeline. Then this connection is not current.
            guard let found = connection.timeline, found >= state.timeline else { return }
            if state.timeline != 0, found != state.timeline { state.failovers += 1 }
            (state.timeline, state.first) = (found, connection.serverIndex)
        }
        return ServerConnection(connection: connection, epoch: epoch)
    }

    /// Looks for a primary of a newer timeline, every few seconds. An old primary answers queries as long as nothing
    /// closes its connections, for example if Patroni hangs. Sessions that were ended on the new primary would be
    /// accepted here.
    func findNewerPrimary() {
        let search: (timeline: Int64, first: Int)? = state.withLock { state in
            guard state.timeline != 0, state.failure == nil, state.nextSearch <= .now else { return nil }
            state.nextSearch = .now + Self.searchEvery
            return (state.timeline, state.first)
        }
        guard let search else { return }
        // Only a newer timeline is accepted. Then no connection to the old primary is current.
        _ = try? connect(from: search.timeline + 1, startingAt: search.first + 1)
    }

    /// Whether a connection may still be used.
    func isCurrent(_ opened: ServerConnection) -> Bool {
        guard opened.connection.isUsable, opened.epoch == epoch.load(ordering: .acquiring) else { return false }
        return opened.connection.timeline.map { $0 >= timeline } ?? true
    }

    /// Works with a connection. If it is lost, the server may have been replaced, so a new epoch begins.
    ///
    /// A time-out that the caller has shortened ends only this connection: others may still get their answers.
    ///
    /// - Parameters:
    ///   - limit: how long to wait for an answer, if shorter than the connection's `answerTimeout`.
    ///   - end: when every answer must have arrived.
    func use<Result>(
        _ opened: ServerConnection, answeringWithin limit: Duration? = nil, until end: MonotonicTime? = nil,
        _ body: (Connection) throws -> Result
    ) throws -> Result {
        let connection = opened.connection
        connection.deadline = end
        let standard = connection.answerTimeout
        if let limit { connection.answerTimeout = min(limit, standard) }
        defer { connection.answerTimeout = standard }
        do { return try body(connection) } catch {
            let hadAllTime = limit == nil && end.map { .now < $0 } ?? true
            let isLost = !connection.isUsable && (hadAllTime || !PostgreSQLError(error).isTimeout)
            if isLost, opened.epoch == epoch.load(ordering: .acquiring) {
                epoch.add(1, ordering: .acquiringAndReleasing)
                state.withLock { $0.first = connection.serverIndex + 1 }
            }
            throw error
        }
    }
}

// MARK: - Replacing connections

extension Servers {
    /// Returns the connection itself while it may be used, and otherwise a new one.
    ///
    /// If the server accepts no more connections, it may not have been lost: an administrator has ended one session,
    /// and another client has taken its slot. Then the old connection stays in use if its server is still the primary.
    func current(
        _ old: ServerConnection, until end: MonotonicTime? = nil
    ) throws(PostgreSQLError) -> ServerConnection {
        if isCurrent(old) { return old }
        do throws(PostgreSQLError) { return try connect(until: end) } catch {
            guard error.isOutOfConnections, let renewed = renewed(old) else { throw error }
            return renewed
        }
    }

    private func renewed(_ old: ServerConnection) -> ServerConnection? {
        let renewed = ServerConnection(connection: old.connection, epoch: epoch.load(ordering: .acquiring))
        guard isCurrent(renewed), !old.connection.isInTransaction else { return nil }
        let isPrimary = try? use(renewed, answeringWithin: options.connectTimeout) { try $0.isStillPrimary() }
        return isPrimary == true ? renewed : nil
    }
}

/// A connection, and the epoch in which it was opened.
///
/// `@unchecked Sendable`: its owner (a pool, a batch queue or the reader of revocations) lets one thread at a time use
/// it.
struct ServerConnection: @unchecked Sendable {
    let connection: Connection
    fileprivate let epoch: Int
}
