package import Gatehouse
import SQL

let auditColumns = """
    moment, kind, actor, user_id, session_id, provider, address, user_agent, detail, count, operator
    """

// A constant, so that it is not built for each request.
private let insertEvent = "INSERT INTO audit_events (\(auditColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

extension RelationalStore {
    package func auditEvents(of user: UserID) throws(Refusal) -> [AuditEntry] {
        try reading { try $0.auditEvents(AuditQuery(userID: user, limit: .max)) }
    }

    package func record(_ events: [AuditEntry]) throws(Refusal) {
        try writing { connection in
            // A user who is deleted meanwhile would keep the devices of these events.
            for user in Set(events.compactMap(\.userID?.text)).sorted() { try connection.lock(UserID(user)) }
            for var event in events {
                // The device was removed with the user, and must not return with events that were recorded late.
                if let user = event.userID, try connection.user(user)?.status == .deleted { event.device = .unknown }
                try connection.insert(event)
            }
        }
    }
}

extension RecordConnection {
    func insert(_ event: AuditEntry) throws {
        try send(
            insertEvent,
            .integer(event.moment.milliseconds), .text(event.kind.rawValue), .text(event.actor.rawValue),
            .optional(event.userID?.text), .optional(event.sessionID?.text), .optional(event.provider?.rawValue),
            .optional(event.device.address), .optional(event.device.userAgent), .optional(event.detail),
            .integer(event.count), .optional(event.operatorName))
    }

    /// Refusals are recorded some time after they happened, so entries are sorted by their time.
    static func statement(of query: AuditQuery) -> String {
        // A plain comparison, or SQLite reads the whole trail.
        let ofUser = query.userID == nil ? "CAST(?1 AS TEXT) IS NULL" : "user_id = ?1"
        return """
            SELECT \(auditColumns) FROM (SELECT * FROM audit_events
                WHERE \(ofUser) AND (CAST(?2 AS TEXT) IS NULL OR kind = ?2)
                    AND (CAST(?3 AS BIGINT) IS NULL OR moment >= ?3)
                ORDER BY id DESC LIMIT ?4) AS newest
            ORDER BY moment, id
            """
    }

    func auditEvents(_ query: AuditQuery) throws -> [AuditEntry] {
        try all(
            Self.statement(of: query), .optional(query.userID?.text), .optional(query.kind?.rawValue),
            .optional(query.since?.milliseconds), .integer(Int64(query.limit))
        ) { row in try AuditEntry(row: row) }
    }

    /// User agents and addresses are personal data, so they are removed with the user.
    func removeDevicesFromAudit(of user: UserID) throws {
        try send("UPDATE audit_events SET address = NULL, user_agent = NULL WHERE user_id = ?", .text(user.text))
    }
}

extension AuditEntry {
    /// Reads `auditColumns`.
    fileprivate init(row: borrowing any SQLRow & ~Copyable) throws {
        var columns = ColumnCounter()
        let moment = row.timestamp(columns.next())
        let (kind, actor) = (
            try row.case(Kind.self, at: columns.next()), try row.case(Actor.self, at: columns.next())
        )
        let (userID, sessionID) = (row.optionalText(columns.next()), row.optionalText(columns.next()))
        let provider = try row.optionalCase(Provider.self, at: columns.next())
        let (address, userAgent) = (row.optionalText(columns.next()), row.optionalText(columns.next()))
        self.init(
            kind, at: moment, by: actor, userID: userID.map(UserID.init), sessionID: sessionID.map(SessionID.init),
            provider: provider, device: Device(userAgent: userAgent, address: address),
            detail: row.optionalText(columns.next()), count: row.integer(columns.next()))
        operatorName = row.optionalText(columns.next())
    }
}
