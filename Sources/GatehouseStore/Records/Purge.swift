import Gatehouse
import SQL
import Synchronization

/// The position of maintenance in its scan of the sessions.
package final class PurgeCursor: Sendable {
    fileprivate let session = Mutex("")
}

/// A table whose rows are inserted in the order of their numbers, so that the oldest come first.
private struct Log {
    let table: String
    let number: String
    let moment: String
    let limit: Timestamp
}

/// How many rows one step examines.
private let slice: Int64 = 500
/// How long one step may delay other writes, where there is one writer at a time.
private let timeLimit = Duration.milliseconds(4)

extension RelationalStore {
    /// One step of `Store.purge`.
    func removeExpired(_ limits: PurgeLimits) throws(Refusal) -> Bool {
        let logs = [
            Log(table: "redemptions", number: "id", moment: "expires_at", limit: limits.redemptionsExpired),
            Log(table: "revocations", number: "place", moment: "moment", limit: limits.revocationsBefore),
            Log(table: "apple_notifications", number: "place", moment: "moment", limit: limits.auditEventsBefore),
            Log(table: "audit_events", number: "id", moment: "moment", limit: limits.auditEventsBefore),
        ]
        var hasMore = try purgeSessions(expiredBefore: limits.sessionsExpired)
        for log in logs where try purge(log) { hasMore = true }
        return hasMore
    }

    /// True when one was found: more may have expired.
    private func purgeSessions(expiredBefore limit: Timestamp) throws(Refusal) -> Bool {
        let (sessions, end) = try expiredSessions(before: limit)
        let hasLeftovers = try remove(sessions) { connection, id in
            // The session may have been refreshed since it was read.
            try connection.send(
                "DELETE FROM refresh_tokens WHERE id = ? AND expires_at < ?", .text(id),
                .integer(limit.milliseconds))
        }
        if !hasLeftovers { purgeCursor.session.withLock { $0 = end } }
        return !sessions.isEmpty
    }

    /// True when there is more to delete.
    private func purge(_ log: Log) throws(Refusal) -> Bool {
        let numbers = try oldRows(of: log)
        let hasLeftovers = try remove(numbers) { connection, number in
            try connection.send("DELETE FROM \(log.table) WHERE \(log.number) = ?", .integer(number))
        }
        return hasLeftovers || numbers.count == Int(slice)
    }

    /// The expired sessions among the next few hundred. Scanning them takes less time than an index on the expiry,
    /// which every refresh would have to update.
    private func expiredSessions(before limit: Timestamp) throws(Refusal) -> ([String], end: String) {
        let start = purgeCursor.session.withLock { $0 }
        let found = try reading { connection in
            try connection.all(
                "SELECT id, expires_at FROM refresh_tokens WHERE id > ? ORDER BY id LIMIT ?", .text(start),
                .integer(slice)
            ) { row in (id: row.text(0), isExpired: row.integer(1) < limit.milliseconds) }
        }
        let end = found.count < Int(slice) ? "" : found.last?.id ?? ""
        return (found.filter(\.isExpired).map(\.id), end)
    }

    /// The first rows of a log that are older than its limit.
    private func oldRows(of log: Log) throws(Refusal) -> [Int64] {
        try reading { connection in
            try connection.all(
                """
                SELECT \(log.number) FROM
                    (SELECT \(log.number), \(log.moment) FROM \(log.table) ORDER BY \(log.number) LIMIT ?) AS oldest
                WHERE \(log.moment) < ?
                """,
                .integer(slice), .integer(log.limit.milliseconds)
            ) { row in row.integer(0) }
        }
    }

    /// Deletes rows one by one until the time is used up. True when some are left.
    private func remove<Key>(
        _ keys: [Key], _ delete: @escaping (Connection, Key) throws -> Void
    ) throws(Refusal) -> Bool {
        guard !keys.isEmpty else { return false }
        return try writing { connection in
            // Another node removes the same rows.
            guard try connection.lockMaintenance() else { return false }
            let deadline = ContinuousClock.now + timeLimit
            for (index, key) in keys.enumerated() {
                try delete(connection, key)
                if ContinuousClock.now >= deadline { return index + 1 < keys.count }
            }
            return false
        }
    }
}
