import POSIX
import PostgreSQL
import Synchronization

/// Opens connections to the primary, and never to two of them. An old primary that was stopped or cut off does not know at
/// first that it was replaced, and would answer from before. So after a connection to a newer timeline, servers of an older
/// one are refused for as long as this process runs. And when one connection is lost, all are opened anew.
///
/// While no primary can be reached, one thread tries and all others fail at once. If all of them waited, no thread would be
/// left for requests that need no database.
final class Servers: Sendable {
    private struct State {
        var failure: PostgreSQLError?
        var failedAt = MonotonicTime.now
        var isTrying = false
        /// That of the last connection: the newest so far.
        var timeline: Int64 = 0
        var failovers = 0
        /// The position in the URL of the server that is tried first: the primary, or the one after it once it was lost.
        var first = 0
        var nextSearch = MonotonicTime.now
    }

    private enum Turn {
        case attempt(timeline: Int64, index: Int)
        case fail(PostgreSQLError)
    }

    private static let pause = Duration.milliseconds(200)
    /// The follower of revocations tries every second, so an older failure is one of before.
    private static let oldFailure = Duration.seconds(2)

    private static let searchEvery = Duration.seconds(5)

    /// How many the URL names.
    let count: Int
    let options: ConnectionOptions
    private let url: String
    private let state = Mutex(State())
    /// Connections of an earlier number are not used any more.
    private let epoch = Atomic<Int>(0)

    init(url: String, _ options: ConnectionOptions) {
        count = Connection.countServers(in: url)
        self.url = url
        self.options = options
    }

    /// The timeline of the primary, which each failover increments; 0 if it is not known.
    var timeline: Int64 { state.withLock { $0.timeline } }

    /// How often another timeline was found than before.
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
        let connection = try BlockingHint.around { [options] () throws(PostgreSQLError) in
            try Connection(to: url, options, startingAt: index, until: end)
        }
        state.withLock { state in
            (state.failure, state.isTrying) = (nil, false)
            // Another thread may have found a newer one; then this connection is not current.
            guard let found = connection.timeline, found >= state.timeline else { return }
            if state.timeline != 0, found != state.timeline { state.failovers += 1 }
            (state.timeline, state.first) = (found, connection.serverIndex)
        }
        return ServerConnection(connection: connection, epoch: epoch)
    }

    /// Looks for a primary of a newer timeline, every few seconds. An old one goes on answering queries while nothing ends
    /// its connections: if Patroni hangs, for example. What was ended at the new one would be accepted here.
    func findNewerPrimary() {
        let search: (timeline: Int64, first: Int)? = state.withLock { state in
            guard state.timeline != 0, state.failure == nil, state.nextSearch <= .now else { return nil }
            state.nextSearch = .now + Self.searchEvery
            return (state.timeline, state.first)
        }
        guard let search else { return }
        // Only a newer one is found. It makes the other connections those of an old primary.
        _ = try? connect(from: search.timeline + 1, startingAt: search.first + 1)
    }

    /// Whether a connection may still be used.
    func isCurrent(_ opened: ServerConnection) -> Bool {
        guard opened.connection.isUsable, opened.epoch == epoch.load(ordering: .acquiring) else { return false }
        return opened.connection.timeline.map { $0 >= timeline } ?? true
    }

    /// Works with a connection. If it is lost meanwhile, the server may have been replaced.
    ///
    /// If only the caller's time is over, only this connection is given up, since others may get their answers.
    ///
    /// - Parameters:
    ///   - limit: how long to wait for an answer, if not as long as always.
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

// MARK: - Connections of before

extension Servers {
    /// A connection in place of one that may not be used any more; the same one if it still may.
    ///
    /// A server that has no room for another connection may only seem to be lost: an administrator has ended one of its
    /// sessions, and another client has taken the place. Then the old connection is asked what a new one would be asked.
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

/// A connection, and when it was opened.
///
/// `@unchecked Sendable`: its owner (a pool, a batch queue or the reader of revocations) lets one thread at a time use it.
struct ServerConnection: @unchecked Sendable {
    let connection: Connection
    fileprivate let epoch: Int
}
