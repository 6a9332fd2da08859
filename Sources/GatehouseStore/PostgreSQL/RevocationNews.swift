package import Gatehouse
import POSIX
import PostgreSQL
import SQL
import Synchronization
import Threading

/// Waits until another node may have ended something.
///
/// A notification is lost when the connection is, and does not come through a pooler. So it only makes the next reading of
/// the log sooner.
package final class RevocationNews: Sendable {
    private let servers: Servers
    private let listener = Mutex<ServerConnection?>(nil)

    init(_ servers: Servers) {
        self.servers = servers
    }

    /// Returns at a notification, or after this time.
    func wait(atMost time: Duration) {
        let deadline = MonotonicTime.now + time
        let hasWaited = listener.withLock { listener in
            do {
                if let opened = listener, servers.isCurrent(opened) {
                    _ = try servers.use(opened) { try $0.waitForNotifications(until: deadline) }
                    return true
                }
                listener = nil
                let opened = try servers.connect()
                guard !opened.connection.isPooled else { return false }
                try opened.connection.listen(to: "gatehouse_revocations")
                listener = opened
                // What was ended before the connection listened is in the log.
                return true
            } catch {
                listener = nil
                return false
            }
        }
        if !hasWaited { Thread.pause(for: .milliseconds(deadline.millisecondsLeft)) }
    }
}

extension PostgreSQLStore {
    package func revocations(after place: Int64) throws(Refusal) -> [Revocation] {
        try reading { connection in try connection.revocations(after: place) }
    }

    /// Nothing counts here: requests need not look, because the log is read in the background.
    package var revocationCounter: UInt64 { 0 }

    package func incrementRevocationCounter() {}

    package var isShared: Bool { true }

    package func waitForRevocations(atMost time: Duration) { news.wait(atMost: time) }
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
