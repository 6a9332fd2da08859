import Gatehouse
import SQL
import Synchronization

/// The positions of maintenance in its scans: of the sessions, of the guests, and of each table whose rows live for different times.
package final class PurgeCursor: Sendable {
    fileprivate let session = Mutex("")
    /// By the key of the guest.
    let guest = Mutex("")
    fileprivate let rows = Mutex<[String: Int64]>([:])
    /// When statistics are counted next.
    let counting = Mutex(ContinuousClock.now)
}

/// A table whose rows are inserted in the order of their numbers, so that the oldest come first.
private struct AppendOnlyTable {
    let table: String
    let number: String
    let limit: Timestamp
}

/// How many rows one step examines.
let slice: Int64 = 500
/// How long one step may delay other writes, where there is one writer at a time.
let purgeTimeLimit = Duration.milliseconds(4)

extension RelationalStore {
    /// One step of `Store.purge`.
    func removeExpired(_ limits: PurgeLimits) throws(Refusal) -> Bool {
        let logs = [
            AppendOnlyTable(table: "revocations", number: "place", limit: limits.revocationsBefore),
            AppendOnlyTable(table: "apple_notifications", number: "place", limit: limits.auditEventsBefore),
            AppendOnlyTable(table: "code_sends", number: "id", limit: limits.codeSendsBefore),
            AppendOnlyTable(table: "audit_events", number: "id", limit: limits.auditEventsBefore),
            AppendOnlyTable(table: "audit_acts", number: "id", limit: limits.auditEventsBefore),
        ]
        try removeClockReports(before: limits.revocationsBefore)
        try correctOutbox(now: limits.now)
        try purgeSupport(now: limits.now)
        var hasMore = try purgeSessions(expiredBefore: limits.sessionsExpired)
        if try purge("redemptions", expired: limits.redemptionsExpired) { hasMore = true }
        for (table, latest) in [
            ("codes", StoredCode.latestExpiry(now: limits.now)),
            ("authorization_requests", StoredAuthorizationRequest.latestExpiry(now: limits.now)),
            ("authorization_codes", StoredAuthorizationCode.latestExpiry(now: limits.now)),
        ] where try purge(table, expired: limits.redemptionsExpired, believedUntil: latest) {
            hasMore = true
        }
        if try purge("apple_tasks", expired: limits.now) { hasMore = true }
        let latestNotice = limits.now + QueuedNotice.lifetime + ClockAgreement.readinessLimit
        if try purge("notices", expired: limits.now, believedUntil: latestNotice) { hasMore = true }
        if try purgeDeadLetters(before: limits.auditEventsBefore) { hasMore = true }
        for log in logs where try purge(log, believedUntil: limits.now + ClockAgreement.readinessLimit) {
            hasMore = true
        }
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
    private func purge(_ log: AppendOnlyTable, believedUntil latest: Timestamp) throws(Refusal) -> Bool {
        try remove(try oldRows(of: log, believedUntil: latest), from: log.table, by: log.number)
    }

    /// Deletes rows whose `expires_at` has passed, among the next few hundred. True when there is more to delete.
    ///
    /// - Parameter latest: a row that expires later was written by a clock that was wrong. Nothing accepts it.
    private func purge(
        _ table: String, expired limit: Timestamp, believedUntil latest: Timestamp? = nil
    ) throws(Refusal) -> Bool {
        let start = purgeCursor.rows.withLock { $0[table] ?? 0 }
        let found = try reading { connection in
            try connection.all(
                """
                SELECT id, CASE WHEN expires_at < ? OR expires_at > ? THEN 1 ELSE 0 END FROM \(table)
                WHERE id > ? ORDER BY id LIMIT ?
                """,
                .integer(limit.milliseconds), .integer(latest?.milliseconds ?? .max), .integer(start), .integer(slice)
            ) { row in (id: row.integer(0), isExpired: row.integer(1) == 1) }
        }
        let expired = found.filter(\.isExpired).map(\.id)
        let hasLeftovers = try remove(expired, from: table, by: "id")
        let end = found.count < Int(slice) ? 0 : found.last?.id ?? 0
        if !hasLeftovers { purgeCursor.rows.withLock { $0[table] = end } }
        return hasLeftovers || !expired.isEmpty && end > 0
    }

    func remove(_ numbers: [Int64], from table: String, by column: String) throws(Refusal) -> Bool {
        let hasLeftovers = try remove(numbers) { connection, number in
            try connection.send("DELETE FROM \(table) WHERE \(column) = ?", .integer(number))
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

    /// The rows of a log that are older than its limit: those before the first row that is not.
    ///
    /// A clock that was wrong has written wrong times, so the order of the rows decides: a row with a time too long
    /// ago stays while an earlier row stays, and a row with a time in the future is deleted together with the rows
    /// after it.
    private func oldRows(of log: AppendOnlyTable, believedUntil latest: Timestamp) throws(Refusal) -> [Int64] {
        try reading { connection in
            try connection.all(
                """
                WITH believed AS (
                    SELECT \(log.number) AS number, moment FROM \(log.table) WHERE moment <= ?3
                    ORDER BY \(log.number) LIMIT ?1)
                SELECT \(log.number) FROM \(log.table) WHERE \(log.number) <= (
                    SELECT max(number) FROM believed WHERE moment < ?2 AND number < coalesce(
                        (SELECT min(number) FROM believed WHERE moment >= ?2), ?4))
                ORDER BY \(log.number) LIMIT ?1
                """,
                .integer(slice), .integer(log.limit.milliseconds), .integer(latest.milliseconds), .integer(.max)
            ) { row in row.integer(0) }
        }
    }

    /// A task that is due later than any backoff was postponed by a wrong clock, and would wait until then.
    private func correctOutbox(now: Timestamp) throws(Refusal) {
        let limit = now + AppleTask.longestBackoff + ClockAgreement.readinessLimit
        let late = try reading { connection in
            try connection.all("SELECT id FROM apple_tasks WHERE due_at > ?", .integer(limit.milliseconds)) { row in
                row.integer(0)
            }
        }
        guard !late.isEmpty else { return }
        try writing { connection in
            for id in late {
                try connection.send(
                    "UPDATE apple_tasks SET due_at = ? WHERE id = ? AND due_at > ?", .integer(now.milliseconds),
                    .integer(id), .integer(limit.milliseconds))
            }
        }
    }

    /// Deletes rows one by one until the time is used up. True when some are left.
    func remove<Key>(
        _ keys: [Key], _ delete: @escaping (Connection, Key) throws -> Void
    ) throws(Refusal) -> Bool {
        guard !keys.isEmpty else { return false }
        return try writing { connection in
            // Another node removes the same rows.
            guard try connection.lockMaintenance() else { return false }
            let deadline = ContinuousClock.now + purgeTimeLimit
            for (index, key) in keys.enumerated() {
                try delete(connection, key)
                if ContinuousClock.now >= deadline { return index + 1 < keys.count }
            }
            return false
        }
    }
}
