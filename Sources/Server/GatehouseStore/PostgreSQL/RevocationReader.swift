package import Gatehouse
import POSIX
import PostgreSQL
import SQL
import Synchronization

/// Reads what other nodes have ended, over a connection of its own: busy requests must not delay it. While that one does
/// not answer, or cannot be opened, a connection of requests is used.
///
/// A notification is lost when the connection is, and does not come through a pooler. So it only makes the next reading of
/// the log sooner.
package final class RevocationReader: Sendable {
    private struct State {
        var own: ServerConnection?
        var position = LogPosition()
    }

    /// Together with the second between two readings, and the time of another one, less than the two seconds after which
    /// a session must have ended on all nodes.
    private static let silence = Duration.milliseconds(400)

    private let servers: Servers
    private let lenders: [any ConnectionLender]
    private let state = Mutex(State())

    init(_ servers: Servers, borrowingFrom lenders: [any ConnectionLender]) {
        self.servers = servers
        self.lenders = lenders
    }

    /// Returns at a notification, or after this time.
    func wait(atMost time: Duration) {
        let deadline = MonotonicTime.now + time
        let hasWaited = state.withLock { state in
            guard let own = state.own, servers.isCurrent(own), !own.connection.isPooled else { return false }
            return (try? servers.use(own) { try $0.waitForNotifications(until: deadline) }) != nil
        }
        if !hasWaited { Thread.pause(for: .milliseconds(deadline.millisecondsLeft)) }
    }

    func revocations(after place: Int64) throws -> [Revocation] {
        try state.withLock { state in
            if let found = readByOwn(&state, after: place) { return found }
            if let found = readByBorrowed(&state, after: place) { return found }
            do {
                let new = try open()
                state.own = new
                // Only a new one gets as much time as a large log takes.
                return try read(&state, after: place, by: new, within: nil)
            } catch {
                // A server that accepts no more connections may go on answering those that are open.
                guard state.own == nil,
                    let found = readByBorrowed(&state, after: place, orWaitFor: Self.silence)
                else {
                    throw error
                }
                return found
            }
        }
    }

    /// Opens the reader's own connection if it was lost, off the path of its readings: the resolution of a name may block.
    func reopen() {
        let isMissing = state.withLockIfAvailable { $0.own.map { !servers.isCurrent($0) } ?? true }
        guard isMissing == true, let opened = try? open() else { return }
        state.withLock { $0.own = opened }
    }

    /// What was ended before the connection listened is in the log, which is read afterwards.
    private func open() throws -> ServerConnection {
        let opened = try servers.connect()
        if !opened.connection.isPooled {
            try servers.use(opened) { try $0.listen(to: "gatehouse_revocations") }
        }
        return opened
    }
}

// MARK: - Connections

extension RevocationReader {
    private func readByOwn(_ state: inout State, after place: Int64) -> [Revocation]? {
        guard let own = state.own, servers.isCurrent(own) else {
            state.own = nil
            return nil
        }
        let found = try? read(&state, after: place, by: own, within: Self.silence)
        if found == nil { state.own = nil }
        return found
    }

    private func readByBorrowed(
        _ state: inout State, after place: Int64, orWaitFor time: Duration? = nil
    ) -> [Revocation]? {
        for lender in lenders {
            let found = try? lender.lend(orWaitFor: time) {
                try read(&state, after: place, by: $0, within: Self.silence)
            }
            if let found = found ?? nil { return found }
        }
        return nil
    }

    private func read(
        _ state: inout State, after place: Int64, by opened: ServerConnection, within limit: Duration?
    ) throws -> [Revocation] {
        let start = state.position.start(after: place, on: opened.connection.timeline)
        let found = try servers.use(opened, answeringWithin: limit) { try $0.revocations(after: start) }
        state.position.timeline = opened.connection.timeline
        return found
    }
}

/// Where to read the log, which a new primary may not have as the old one had it.
struct LogPosition {
    /// Of the last reading.
    var timeline: Int64?
    /// A place in the log of a database that was replaced since.
    private var stalePlace: Int64?

    /// The new primary may not have what the old one has told, and gives the same places again.
    mutating func start(after place: Int64, on found: Int64?) -> Int64 {
        if let timeline, timeline != found { stalePlace = place }
        return place == stalePlace ? 0 : place
    }
}

extension PostgreSQLStore {
    package func revocations(after place: Int64) throws(Refusal) -> [Revocation] {
        do { return try revocations.revocations(after: place) } catch { throw .storageUnavailable(failure(error)) }
    }

    /// Nothing counts here: requests need not look, because the log is read in the background.
    package var revocationCounter: UInt64 { 0 }

    package func incrementRevocationCounter() {}

    package var isShared: Bool { true }

    package var mayBeBehind: Bool { servers.count > 1 }

    package func waitForRevocations(atMost time: Duration) { revocations.wait(atMost: time) }
}

extension Connection {
    /// A transaction can commit after one that began later. So an entry is returned again until every transaction up to its
    /// own has ended: its place is at most that of the last of these. A place that is not over yet was given by a database
    /// that has been replaced by an older copy of itself; then everything is read.
    fileprivate func revocations(after place: Int64) throws -> [Revocation] {
        try all(
            """
            SELECT least(r.transaction, now.oldest - 1), \(revocationColumns)
            FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest) AS now, revocations r
            WHERE r.transaction > CASE WHEN ?1 < now.oldest THEN ?1 ELSE 0 END ORDER BY r.transaction, r.place
            """,
            .integer(place)
        ) { row in Revocation(row: row) }
    }
}
