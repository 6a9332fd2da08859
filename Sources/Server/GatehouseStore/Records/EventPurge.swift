import Gatehouse
import SQL

extension RelationalStore {
    /// A step of `removeExpired`. True when there is more to delete.
    func purgeEvents(_ limits: PurgeLimits) throws(Refusal) -> Bool {
        let hasMore = try purgeDeadLetters(before: limits.auditEventsBefore)
        return try purgeForgotten() || hasMore
    }

    /// Those of a receiver become dead nearly in the order of their numbers, so its first rows are enough to look at.
    private func purgeDeadLetters(before limit: Timestamp) throws(Refusal) -> Bool {
        let receivers = try reading { try $0.all("SELECT name FROM event_receivers") { row in row.text(0) } }
        for receiver in receivers {
            let oldest = try reading { connection in
                try connection.all(
                    """
                    SELECT number, dead_at FROM events WHERE receiver = ? AND dead_at IS NOT NULL
                    ORDER BY number LIMIT ?
                    """,
                    .text(receiver), .integer(slice)
                ) { row in (number: row.integer(0), isOld: row.integer(1) < limit.milliseconds) }
            }
            if try remove(oldest.filter(\.isOld).map(\.number), from: "events", by: "number") { return true }
        }
        return false
    }

    /// Events of receivers that an operator has removed.
    private func purgeForgotten() throws(Refusal) -> Bool {
        let numbers = try reading { connection in
            try connection.all(
                """
                SELECT number FROM events WHERE receiver = (
                    SELECT min(receiver) FROM events WHERE receiver NOT IN (SELECT name FROM event_receivers)) LIMIT ?
                """, .integer(slice)
            ) { row in row.integer(0) }
        }
        guard !numbers.isEmpty else { return false }
        _ = try remove(numbers, from: "events", by: "number")
        return true
    }
}
