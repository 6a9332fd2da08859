package import Gatehouse
import OpenSSL
import SQL

// The outbox of events: `EventStore`.

extension RecordConnection {
    /// Queues an event for each receiver of its type. Without receivers, this writes nothing.
    ///
    /// Events of one user are queued in the order of the changes: each change locks the user, or the session that it ends, before.
    func insert(_ event: UserEvent?) throws {
        guard let event else { return }
        let id = ULID.make("evt", at: event.moment, random: SecureRandom.bytes(ULID.randomBytes))
        try send(
            insertEvent,
            .text(id), .text(event.type.rawValue), .text(event.userID.text), .optional(event.sessionID?.text),
            .optional(event.detail), .integer(event.moment.milliseconds), .text(" \(event.type.rawValue) "))
    }

    /// Queues an event for a user who has changed since.
    func insertUpdate(of former: User, at now: Timestamp) throws {
        guard let user = try user(former.id), let event = UserEvent.update(of: user, from: former, at: now) else {
            return
        }
        // A trigger changes the phone number alone, and another one ends being a guest.
        try markUpdated(user.id, now: now)
        try insert(event)
    }
}

// A constant, so that it is not built for each request. Not LIKE: SQLite plans a statement anew each time that a parameter of
// LIKE is bound.
private let insertEvent = """
    INSERT INTO events (receiver, id, type, user_id, session_id, detail, moment)
    SELECT name, ?1, ?2, ?3, ?4, ?5, CAST(?6 AS BIGINT) FROM event_receivers
    WHERE types = '*' OR replace(types, ?7, '') <> types
    """

private let eventColumns = QueuedEvent.columns.selected(from: "e")

extension RelationalStore {
    package func dueEvents(for receiver: String, now: Timestamp, limit: Int) throws(Refusal) -> [QueuedEvent] {
        try reading { connection in
            try connection.all(
                """
                SELECT \(eventColumns) FROM events e
                WHERE e.receiver = ?1 AND e.dead_at IS NULL AND (e.due_at IS NULL OR e.due_at <= ?2 OR e.due_at > ?3) AND NOT EXISTS (
                    SELECT 1 FROM events p WHERE p.receiver = e.receiver AND p.user_id = e.user_id
                        AND p.number < e.number AND p.dead_at IS NULL)
                ORDER BY e.number LIMIT ?4
                """,
                // An event that is due later than any delay was postponed by a clock that was wrong.
                .text(receiver), .integer(now.milliseconds), .integer((now + QueuedEvent.patience).milliseconds),
                .integer(Int64(limit))
            ) { row in try QueuedEvent(row: row) }
        }
    }

    package func finish(_ event: QueuedEvent) throws(Refusal) {
        try writing { try $0.send("DELETE FROM events WHERE number = ?", .integer(event.number)) }
    }

    package func postpone(
        _ event: QueuedEvent, until moment: Timestamp?, fault: String, now: Timestamp
    ) throws(Refusal) {
        try writing { connection in
            // Another node may have sent it since, or an operator may have made it due.
            try connection.send(
                """
                UPDATE events SET attempts = attempts + 1, due_at = coalesce(CAST(?3 AS BIGINT), due_at),
                    expires_at = coalesce(expires_at, CAST(?6 AS BIGINT)),
                    dead_at = CASE WHEN CAST(?3 AS BIGINT) IS NULL THEN CAST(?4 AS BIGINT) END, fault = ?5
                WHERE number = ?1 AND attempts = ?2
                """,
                .integer(event.number), .integer(event.attempts), .optional(moment?.milliseconds),
                .integer(now.milliseconds), .text(fault), .integer((now + QueuedEvent.patience).milliseconds))
        }
    }

    package func expireEvents(for receiver: String, fault: String, now: Timestamp) throws(Refusal) -> Int {
        try writing { connection in
            try connection.run(
                """
                UPDATE events SET dead_at = ?2, fault = ?3 WHERE number IN (
                    SELECT number FROM events WHERE receiver = ?1 AND dead_at IS NULL AND expires_at <= ?2
                    ORDER BY number LIMIT 1000)
                AND dead_at IS NULL AND expires_at <= ?2
                """,
                .text(receiver), .integer(now.milliseconds), .text(fault))
        }
    }
}

extension RelationalStore {
    package func events(_ query: EventQuery) throws(Refusal) -> [QueuedEvent] {
        try reading { connection in
            try connection.all(
                "SELECT \(eventColumns) FROM events e WHERE \(queried) ORDER BY e.number LIMIT ?6",
                query.values[0], query.values[1], query.values[2], query.values[3], query.values[4],
                .integer(Int64(query.limit))
            ) { row in try QueuedEvent(row: row) }
        }
    }

    package func retry(_ query: EventQuery, now: Timestamp) throws(Refusal) -> Int {
        try writing { try $0.retry(query, now: now) }
    }
}

extension RecordConnection {
    func retry(_ query: EventQuery, now: Timestamp) throws -> Int {
        let values = query.values
        try send(
            """
            UPDATE event_receivers SET resumed_at = ?6
            WHERE name IN (SELECT e.receiver FROM events e WHERE \(queried))
            """,
            values[0], values[1], values[2], values[3], values[4], .integer(now.milliseconds))
        return try run(
            """
            UPDATE events SET attempts = 0, due_at = NULL, expires_at = NULL, dead_at = NULL
            WHERE number IN (SELECT e.number FROM events e WHERE \(queried) ORDER BY e.number LIMIT ?6)
            """,
            values[0], values[1], values[2], values[3], values[4], .integer(Int64(query.limit)))
    }
}

extension RelationalStore {
    /// The condition stands twice, because PostgreSQL repeats the outer one alone for a row that another transaction has just
    /// changed, such as one that is delivered again.
    package func discard(_ query: EventQuery) throws(Refusal) -> Int {
        try writing { connection in
            let values = query.values
            return try connection.run(
                """
                DELETE FROM events AS e
                WHERE e.number IN (SELECT e.number FROM events e WHERE \(queried) ORDER BY e.number LIMIT ?6)
                    AND \(queried)
                """,
                values[0], values[1], values[2], values[3], values[4], .integer(Int64(query.limit)))
        }
    }
}

/// The condition of an `EventQuery`, whose values are the first five parameters.
private let queried = """
    (CAST(?1 AS TEXT) IS NULL OR e.receiver = ?1) AND (CAST(?2 AS TEXT) IS NULL OR e.id = ?2)
    AND (CAST(?3 AS TEXT) IS NULL OR e.user_id = ?3) AND (CAST(?4 AS BIGINT) = 0 OR e.dead_at IS NOT NULL)
    AND e.number > ?5
    """

extension EventQuery {
    fileprivate var values: [Value] {
        [
            .optional(receiver), .optional(id), .optional(userID?.text), .integer(onlyDead ? 1 : 0), .integer(after),
        ]
    }
}

// MARK: - Rows

extension UserEvent {
    fileprivate var sessionID: SessionID? {
        switch content {
        case .sessionRevoked(let id, _), .deviceAdded(let id, _): id
        default: nil
        }
    }

    /// What the column `detail` holds.
    var detail: String? {
        switch content {
        case .created(let provider), .linked(let provider), .unlinked(let provider), .deviceAdded(_, let provider):
            provider.rawValue
        case .updated(let names): names.joined(separator: " ")
        case .deleted(let user): user?.text
        case .disabled, .enabled: nil
        case .sessionRevoked(_, let reason): reason.rawValue
        }
    }
}

extension QueuedEvent: Record {
    static let columns = ColumnList(of: QueuedEvent.self, in: "events")

    static var unread: QueuedEvent {
        let event = UserEvent(.disabled, of: UserID(""), at: Timestamp(milliseconds: 0))
        return QueuedEvent(number: 0, id: "", receiver: "", event: event)
    }

    mutating func visitColumns(_ column: inout some ColumnVisitor, _ row: borrowing AnyRow) throws {
        try column("number", &number, row)
        try column("id", &id, row)
        try column("receiver", &receiver, row)
        try column("user_id", &event.userID, row)
        try column("moment", &event.moment, row)
        var (type, session, detail) = (event.type, event.sessionID, event.detail)
        try column("type", &type, row)
        try column("session_id", &session, row)
        try column("detail", &detail, row)
        event.content = try UserEvent.Content(type, session, detail)
        try column("attempts", &attempts, row)
        try column("due_at", &dueAt, row)
        try column("expires_at", &expiresAt, row)
        try column("dead_at", &deadAt, row)
        try column("fault", &fault, row)
    }
}

extension UserEvent.Content {
    fileprivate init(_ type: EventType, _ session: SessionID?, _ detail: String?) throws {
        func provider() throws -> Provider { try .restored(detail ?? "") }
        self =
            switch type {
            case .userCreated: .created(by: try provider())
            case .userUpdated: .updated((detail ?? "").split(separator: " ").map(String.init))
            case .userDeleted: .deleted(joining: detail.map(UserID.init))
            case .userDisabled: .disabled
            case .userEnabled: .enabled
            case .accountLinked: .linked(try provider())
            case .accountUnlinked: .unlinked(try provider())
            case .sessionRevoked: .sessionRevoked(session ?? SessionID(""), try .restored(detail ?? ""))
            case .deviceAdded: .deviceAdded(session ?? SessionID(""), by: try provider())
            }
    }
}
