import Gatehouse
import SQL

extension RelationalStore {
    /// A step of `removeExpired`. True when there is more to delete.
    ///
    /// The dead letters of a receiver become dead nearly in the order of their numbers, so its first rows are enough to look at.
    func purgeDeadLetters(before limit: Timestamp) throws(Refusal) -> Bool {
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
}
