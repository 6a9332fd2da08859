import Gatehouse
import SQLite

private let auditColumns = """
    moment, kind, actor, user_id, session_id, provider, address, user_agent, detail, count,
    operator
    """

// Put together once, and not for each request.
private let insertEvent = "INSERT INTO audit_events (\(auditColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

extension Connection {
    func insert(_ event: AuditEvent) throws(SQLiteError) {
        try run(
            insertEvent,
            .integer(event.moment.milliseconds), .text(event.kind.rawValue), .text(event.actor.rawValue),
            .optional(event.userID?.text), .optional(event.sessionID?.text), .optional(event.provider?.rawValue),
            .optional(event.device.address), .optional(event.device.userAgent), .optional(event.detail),
            .integer(event.count), .optional(event.operatorName))
    }

    /// Refusals are entered some time after they happened, so the order of entries is not that of events.
    func auditEvents(_ query: AuditQuery) throws(SQLiteError) -> [AuditEvent] {
        try all(
            """
            SELECT \(auditColumns) FROM (SELECT * FROM audit_events
                WHERE (?1 IS NULL OR user_id = ?1) AND (?2 IS NULL OR kind = ?2) AND (?3 IS NULL OR moment >= ?3)
                ORDER BY id DESC LIMIT ?4)
            ORDER BY moment, id
            """,
            .optional(query.userID?.text), .optional(query.kind?.rawValue), .optional(query.since?.milliseconds),
            .integer(Int64(query.limit))
        ) { row throws(SQLiteError) in try AuditEvent(row: row) }
    }

    /// Where somebody came from is theirs, and goes with them.
    func takeDevicesFromAudit(of user: UserID) throws(SQLiteError) {
        try run("UPDATE audit_events SET address = NULL, user_agent = NULL WHERE user_id = ?", .text(user.text))
    }
}

extension AuditEvent {
    /// Reads `auditColumns`.
    fileprivate init(row: borrowing Row) throws(SQLiteError) {
        self.init(
            try row.case(Kind.self, at: 1), at: Timestamp(milliseconds: row.integer(0)),
            by: try row.case(Actor.self, at: 2), userID: row.optionalText(3).map(UserID.init),
            sessionID: row.optionalText(4).map(SessionID.init), provider: try row.optionalCase(Provider.self, at: 5),
            device: Device(userAgent: row.optionalText(7), address: row.optionalText(6)),
            detail: row.optionalText(8), count: row.integer(9))
        operatorName = row.optionalText(10)
    }
}
