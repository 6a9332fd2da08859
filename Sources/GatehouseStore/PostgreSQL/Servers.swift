import POSIX
import PostgreSQL
import Synchronization
import Threading

/// Opens connections to the primary, and never to two of them. An old primary that was stopped or cut off does not know at
/// first that it was replaced, and would answer from before. So after a connection to a newer timeline, servers of an older
/// one are refused, until no other has been found for a minute: then the database was set back on purpose. And when one
/// connection is lost, all are opened anew.
///
/// While no primary can be reached, one thread tries and all others fail at once. If all of them waited, no thread would be
/// left for requests that need no database.
final class Servers: Sendable {
    private struct State {
        var failure: PostgreSQLError?
        var nextAttempt = MonotonicTime.now
        var isTrying = false
    }

    private static let pause = Duration.milliseconds(200)
    private static let patience = Duration.seconds(60)

    private let url: String
    private let options: ConnectionOptions
    private let state = Mutex(State())
    private let newestTimeline = Atomic<Int64>(0)
    /// When the first server of an older timeline was refused, since the last one that was not.
    private let firstRefusal = Mutex<MonotonicTime?>(nil)
    private let switchCount = Atomic<Int>(0)
    /// The position of the primary in the URL: others are tried after it.
    private let primaryIndex = Atomic<Int>(0)
    /// Connections of an earlier number are not used any more.
    private let era = Atomic<Int>(0)

    init(url: String, _ options: ConnectionOptions) {
        self.url = url
        self.options = options
    }

    /// The timeline of the primary, which each failover increments; 0 if it is not known.
    var timeline: Int64 { newestTimeline.load(ordering: .relaxed) }

    /// How often another timeline was found than before.
    var failoverCount: Int { switchCount.load(ordering: .relaxed) }

    func connect() throws(PostgreSQLError) -> ServerConnection {
        let refusal: PostgreSQLError? = state.withLock { state in
            guard let failure = state.failure else { return nil }
            guard !state.isTrying, state.nextAttempt <= .now else { return failure }
            state.isTrying = true
            return nil
        }
        if let refusal { throw refusal }
        do throws(PostgreSQLError) {
            let era = era.load(ordering: .acquiring)
            let first = primaryIndex.load(ordering: .relaxed)
            let connection = try BlockingHint.around { () throws(PostgreSQLError) in
                try Connection(to: url, options, startingAt: first)
            }
            try follow(connection.timeline ?? 0)
            primaryIndex.store(connection.serverIndex, ordering: .relaxed)
            state.withLock { $0 = State() }
            return ServerConnection(connection: connection, era: era)
        } catch {
            state.withLock { $0 = State(failure: error, nextAttempt: .now + Self.pause) }
            throw error
        }
    }

    /// Whether a connection may still be used.
    func isCurrent(_ opened: ServerConnection) -> Bool {
        opened.connection.isUsable && opened.era == era.load(ordering: .acquiring)
            && (opened.connection.timeline ?? 0) >= timeline
    }

    /// Works with a connection. If it is lost meanwhile, the server may have been replaced.
    func use<Result>(_ opened: ServerConnection, _ body: (Connection) throws -> Result) throws -> Result {
        do { return try body(opened.connection) } catch {
            if !opened.connection.isUsable, opened.era == era.load(ordering: .acquiring) {
                era.add(1, ordering: .acquiringAndReleasing)
            }
            throw error
        }
    }

    private func follow(_ timeline: Int64) throws(PostgreSQLError) {
        let newest = newestTimeline.load(ordering: .relaxed)
        let isRefused = firstRefusal.withLock { first in
            if timeline < newest {
                let since = first ?? .now
                first = since
                if .now < since + Self.patience { return true }
            }
            first = nil
            return false
        }
        if isRefused { throw .replaced }
        newestTimeline.store(timeline, ordering: .relaxed)
        if newest != 0, timeline != newest { switchCount.add(1, ordering: .relaxed) }
    }
}

/// A connection, and when it was opened.
///
/// `@unchecked Sendable`: its owner (a pool, a batch queue or a listener) lets one thread at a time use it.
struct ServerConnection: @unchecked Sendable {
    let connection: Connection
    fileprivate let era: Int
}
