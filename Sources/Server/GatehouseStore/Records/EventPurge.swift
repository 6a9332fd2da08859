import Gatehouse
import SQL

extension RelationalStore {
    /// A step of `removeExpired`. True when there is more to delete.
    func purgeEvents(_ limits: PurgeLimits) throws(Refusal) -> Bool {
        let hasMore = try purgeDeadLetters(before: limits.auditEventsBefore)
        let forgotten = limits.now - ReceiverState.memory
        return try purgeReceivers(unseenSince: forgotten) || hasMore
    }

    /// They become dead nearly in the order of their numbers, so the first rows are enough to look at.
    private func purgeDeadLetters(before limit: Timestamp) throws(Refusal) -> Bool {
        let oldest = try reading { connection in
            try connection.all(
                "SELECT number, dead_at FROM events WHERE dead_at IS NOT NULL ORDER BY receiver, number LIMIT ?",
                .integer(slice)
            ) { row in (number: row.integer(0), isOld: row.integer(1) < limit.milliseconds) }
        }
        return try remove(oldest.filter(\.isOld).map(\.number), from: "events", by: "number")
    }

    /// Receivers that no node has in its settings any more, with their events.
    private func purgeReceivers(unseenSince limit: Timestamp) throws(Refusal) -> Bool {
        let forgotten = try reading { connection in
            try connection.all("SELECT name FROM event_receivers WHERE seen_at < ?", .integer(limit.milliseconds)) {
                row in row.text(0)
            }
        }
        for name in forgotten {
            let numbers = try reading { connection in
                try connection.all(
                    "SELECT number FROM events WHERE receiver = ? LIMIT ?", .text(name), .integer(slice)
                ) { row in row.integer(0) }
            }
            guard numbers.isEmpty else {
                _ = try remove(numbers, from: "events", by: "number")
                return true
            }
            try writing { connection in
                try connection.send(
                    "DELETE FROM event_receivers WHERE name = ? AND seen_at < ?", .text(name),
                    .integer(limit.milliseconds))
            }
        }
        return false
    }
}
