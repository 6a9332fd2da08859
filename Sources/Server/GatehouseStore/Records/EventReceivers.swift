package import Gatehouse
import SQL

// The receivers of events, and which node sends to them.

extension RelationalStore {
    package func register(_ receivers: [EventSubscription], now: Timestamp) throws(Refusal) {
        guard !receivers.isEmpty else { return }
        try writing { connection in
            // In one order, so that two nodes do not wait for each other.
            for receiver in receivers.sorted(by: { $0.name < $1.name }) {
                try connection.send(
                    """
                    INSERT INTO event_receivers (name, types, seen_at) VALUES (?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET types = excluded.types, seen_at = excluded.seen_at
                    """,
                    .text(receiver.name), .text(receiver.typeList), .integer(now.milliseconds))
            }
        }
    }

    package func hold(_ receiver: String, by node: String, for time: Duration) throws(Refusal) -> Bool {
        try writing { connection in
            // A lease for longer than any lasts was taken while the clock of the database was wrong.
            try connection.run(
                """
                UPDATE event_receivers SET holder = ?2, held_until = \(Connection.clock) + ?3
                WHERE name = ?1 AND stopped_at IS NULL AND (holder IS NULL OR holder = ?2
                    OR held_until <= \(Connection.clock) OR held_until > \(Connection.clock) + 10 * ?3)
                """,
                .text(receiver), .text(node), .integer(time.milliseconds)) == 1
        }
    }

    package func release(_ receiver: String, by node: String) throws(Refusal) {
        try writing { connection in
            try connection.send(
                "UPDATE event_receivers SET holder = NULL, held_until = NULL WHERE name = ? AND holder = ?",
                .text(receiver), .text(node))
        }
    }

    package func stop(_ receiver: String, now: Timestamp) throws(Refusal) {
        try writing { connection in
            try connection.send(
                "UPDATE event_receivers SET stopped_at = ? WHERE name = ? AND stopped_at IS NULL",
                .integer(now.milliseconds), .text(receiver))
        }
    }

    package func resume(_ receiver: String, now: Timestamp) throws(Refusal) -> Bool {
        try writing { connection in
            // What it has refused since has three days again.
            try connection.send(
                """
                UPDATE events SET due_at = NULL, expires_at = NULL
                WHERE receiver = ? AND dead_at IS NULL AND expires_at IS NOT NULL
                """, .text(receiver))
            return try connection.run(
                "UPDATE event_receivers SET stopped_at = NULL, resumed_at = ? WHERE name = ?",
                .integer(now.milliseconds), .text(receiver)) == 1
        }
    }

    package func forget(_ receiver: String, limit: Int) throws(Refusal) -> Bool {
        try writing { connection in
            let receivers = try connection.run("DELETE FROM event_receivers WHERE name = ?", .text(receiver))
            let events = try connection.run(
                """
                DELETE FROM events WHERE number IN (
                    SELECT number FROM events WHERE receiver = ?1 AND dead_at IS NULL
                    UNION ALL SELECT number FROM events WHERE receiver = ?1 AND dead_at IS NOT NULL LIMIT ?2)
                """, .text(receiver), .integer(Int64(limit)))
            return receivers + events > 0
        }
    }

    package func resumption(of receiver: String) throws(Refusal) -> Timestamp? {
        try reading { connection in
            try connection.first("SELECT resumed_at FROM event_receivers WHERE name = ?", .text(receiver)) { row in
                row.optionalTimestamp(0)
            } ?? nil
        }
    }

    package func receiverStates() throws(Refusal) -> [ReceiverState] { try reading { try $0.receiverStates() } }
}

extension RecordConnection {
    func receiverStates() throws -> [ReceiverState] {
        try all(
            """
            SELECT r.name, r.types, r.seen_at, r.stopped_at,
                (SELECT count(*) FROM events e WHERE e.receiver = r.name AND e.dead_at IS NULL),
                (SELECT moment FROM events e WHERE e.receiver = r.name AND e.dead_at IS NULL ORDER BY number LIMIT 1),
                (SELECT count(*) FROM events e WHERE e.receiver = r.name AND e.dead_at IS NOT NULL)
            FROM event_receivers r ORDER BY r.name
            """
        ) { row in
            ReceiverState(
                subscription: EventSubscription(name: row.text(0), typeList: row.text(1)), seenAt: row.timestamp(2),
                stoppedAt: row.optionalTimestamp(3), waiting: Int(row.integer(4)), oldest: row.optionalTimestamp(5),
                dead: Int(row.integer(6)))
        }
    }
}

extension EventSubscription {
    private static let all = "*"

    /// What the column `types` holds.
    fileprivate var typeList: String {
        guard let types else { return Self.all }
        return " " + types.map { $0.rawValue + " " }.sorted().joined()
    }

    fileprivate init(name: String, typeList: String) {
        // A type of a later version is unknown to this one.
        let types = typeList.split(separator: " ").compactMap { EventType(rawValue: String($0)) }
        self.init(name: name, types: typeList == Self.all ? nil : Set(types))
    }
}

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
            // An event may be delivered again since it was read.
            let hasLeftovers = try remove(oldest.filter(\.isOld).map(\.number)) { connection, number in
                try connection.send(
                    "DELETE FROM events WHERE number = ? AND dead_at < ?", .integer(number),
                    .integer(limit.milliseconds))
            }
            if hasLeftovers || oldest.filter(\.isOld).count == Int(slice) { return true }
        }
        return false
    }
}
