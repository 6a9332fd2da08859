package import Gatehouse
import POSIX
import PostgreSQL
import SQL
import Synchronization
import Threading

/// Reads what other nodes have ended, over a connection of its own: busy requests must not delay it.
///
/// A notification is lost when the connection is, and does not come through a pooler. So it only makes the next reading of
/// the log sooner.
package final class RevocationReader: Sendable {
    private struct State {
        var opened: ServerConnection?
        var timeline: Int64?
        /// A place in the log of a database that was replaced since.
        var stalePlace: Int64?
    }

    private let servers: Servers
    private let state = Mutex(State())

    init(_ servers: Servers) {
        self.servers = servers
    }

    /// Returns at a notification, or after this time.
    func wait(atMost time: Duration) {
        let deadline = MonotonicTime.now + time
        let hasWaited = state.withLock { state in
            guard let opened = state.opened, servers.isCurrent(opened), !opened.connection.isPooled else {
                return false
            }
            return (try? servers.use(opened) { try $0.waitForNotifications(until: deadline) }) != nil
        }
        if !hasWaited { Thread.pause(for: .milliseconds(deadline.millisecondsLeft)) }
    }

    func revocations(after place: Int64) throws -> [Revocation] {
        try state.withLock { state in
            let opened = try connection(&state)
            // The new primary may not have what the old one has told, and gives the same places again.
            if let timeline = state.timeline, timeline != opened.connection.timeline { state.stalePlace = place }
            let start = place == state.stalePlace ? 0 : place
            let found = try servers.use(opened) { try $0.revocations(after: start) }
            state.timeline = opened.connection.timeline
            return found
        }
    }

    /// What was ended before the connection listened is in the log, which is read afterwards.
    private func connection(_ state: inout State) throws -> ServerConnection {
        if let opened = state.opened, servers.isCurrent(opened) { return opened }
        state.opened = nil
        let opened = try servers.connect()
        if !opened.connection.isPooled {
            try servers.use(opened) { try $0.listen(to: "gatehouse_revocations") }
        }
        state.opened = opened
        return opened
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
            LEFT JOIN users u ON u.id = r.user_id
            WHERE r.transaction > CASE WHEN ?1 < now.oldest THEN ?1 ELSE 0 END ORDER BY r.transaction, r.place
            """,
            .integer(place)
        ) { row in try Revocation(row: row) }
    }
}
