package import Gatehouse
import SQLite
import Synchronization

/// Where housekeeping stands on its walk through the sessions.
struct Sweep {
    var session = ""
}

extension SQLiteStore {
    /// How many rows are looked at in one step.
    private static let slice: Int64 = 500
    /// For how long one step may keep other writes waiting.
    private static let patience = Duration.milliseconds(4)

    package func purge(_ limits: PurgeLimits) throws(StoreFailure) -> Bool {
        let (sessions, end) = try expiredSessions(before: limits.sessionsExpired)
        let revocations = try old("revocations", numbered: "place", before: limits.revocationsBefore)
        let events = try old("audit_events", numbered: "id", before: limits.auditEventsBefore)
        let leftovers = [
            // The row may have been refreshed since it was seen.
            try remove(sessions) { connection, id throws(SQLiteError) in
                try connection.run(
                    "DELETE FROM refresh_tokens WHERE id = ? AND expires_at < ?", .text(id),
                    .integer(limits.sessionsExpired.milliseconds))
            },
            try remove(revocations) { connection, place throws(SQLiteError) in
                try connection.run("DELETE FROM revocations WHERE place = ?", .integer(place))
            },
            try remove(events) { connection, id throws(SQLiteError) in
                try connection.run("DELETE FROM audit_events WHERE id = ?", .integer(id))
            },
        ]
        if !leftovers[0] { sweep.withLock { $0.session = end } }
        // Where one session has expired, the next ones may have; a log ends where it is young.
        return leftovers.contains(true) || !sessions.isEmpty
            || [revocations.count, events.count].contains(Int(Self.slice))
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

    /// The first of a log that is written in the order of its numbers, as far as they are old.
    private func old(
        _ table: String, numbered number: String, before limit: Timestamp
    ) throws(StoreFailure) -> [Int64] {
        try reading { connection throws(SQLiteError) in
            try connection.all(
                """
                SELECT \(number) FROM (SELECT \(number), moment FROM \(table) ORDER BY \(number) LIMIT ?)
                WHERE moment < ?
                """,
                .integer(Self.slice), .integer(limit.milliseconds)
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
