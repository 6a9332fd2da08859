package import Gatehouse
import SQLite
import Synchronization

/// Where housekeeping stands on its walk through the sessions.
struct Sweep {
    var session = ""
}

/// A table that is written in the order of its numbers, and is old where it begins.
private struct Log {
    let table: String
    let number: String
    let moment: String
    let limit: Timestamp
}

extension SQLiteStore {
    /// How many rows are looked at in one step.
    private static let slice: Int64 = 500
    /// For how long one step may keep other writes waiting.
    private static let patience = Duration.milliseconds(4)

    package func purge(_ limits: PurgeLimits) throws(StoreFailure) -> Bool {
        // Also the reads of this step have begun it.
        defer { standing?.end() }
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

    /// True where one was found: the next ones may have expired, too.
    private func purgeSessions(expiredBefore limit: Timestamp) throws(StoreFailure) -> Bool {
        let (sessions, end) = try expiredSessions(before: limit)
        let hasLeftovers = try remove(sessions) { connection, id throws(SQLiteError) in
            // The row may have been refreshed since it was seen.
            try connection.run(
                "DELETE FROM refresh_tokens WHERE id = ? AND expires_at < ?", .text(id),
                .integer(limit.milliseconds))
        }
        if !hasLeftovers { sweep.withLock { $0.session = end } }
        return !sessions.isEmpty
    }

    /// True where there is more: a log ends where it is young.
    private func purge(_ log: Log) throws(StoreFailure) -> Bool {
        let numbers = try old(log)
        let hasLeftovers = try remove(numbers) { connection, number throws(SQLiteError) in
            try connection.run("DELETE FROM \(log.table) WHERE \(log.number) = ?", .integer(number))
        }
        return hasLeftovers || numbers.count == Int(Self.slice)
    }

    /// The expired of the next few sessions. An index would have to be written at every refresh; a walk through all of
    /// them, a few each second, costs next to nothing and is in no hurry.
    private func expiredSessions(before limit: Timestamp) throws(StoreFailure) -> ([String], end: String) {
        let start = sweep.withLock { $0.session }
        let slice = try reading { connection throws(SQLiteError) in
            try connection.all(
                "SELECT id, expires_at FROM refresh_tokens WHERE id > ? ORDER BY id LIMIT ?", .text(start),
                .integer(Self.slice)
            ) { row in (id: row.text(0), isExpired: row.integer(1) < limit.milliseconds) }
        }
        let end = slice.count < Int(Self.slice) ? "" : slice.last?.id ?? ""
        return (slice.filter(\.isExpired).map(\.id), end)
    }

    /// The first of a log, as far as they are old.
    private func old(_ log: Log) throws(StoreFailure) -> [Int64] {
        try reading { connection throws(SQLiteError) in
            try connection.all(
                """
                SELECT \(log.number) FROM
                    (SELECT \(log.number), \(log.moment) FROM \(log.table) ORDER BY \(log.number) LIMIT ?)
                WHERE \(log.moment) < ?
                """,
                .integer(Self.slice), .integer(log.limit.milliseconds)
            ) { row in row.integer(0) }
        }
    }

    /// Removes rows one by one until the patience of the others is used up. True where some are left.
    private func remove<Key>(
        _ keys: [Key], _ delete: @escaping (Connection, Key) throws(SQLiteError) -> Void
    ) throws(StoreFailure) -> Bool {
        guard !keys.isEmpty else { return false }
        return try writing { connection throws(SQLiteError) in
            let deadline = ContinuousClock.now + Self.patience
            for (index, key) in keys.enumerated() {
                try delete(connection, key)
                if ContinuousClock.now >= deadline { return index + 1 < keys.count }
            }
            return false
        }
    }
}
