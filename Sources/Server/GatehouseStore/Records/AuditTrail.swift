package import Gatehouse
import SQL

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
        try send(AuditEntry.columns.insert, values: event.insertedValues())
    }

    /// Refusals are recorded some time after they happened, so entries are sorted by their time.
    static func statement(of query: AuditQuery) -> String {
        // A plain comparison, or SQLite reads the whole trail.
        let ofUser = query.userID == nil ? "CAST(?1 AS TEXT) IS NULL" : "user_id = ?1"
        return """
            SELECT \(AuditEntry.columns.selected) FROM (SELECT * FROM audit_events
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

extension AuditEntry: Record {
    static let columns = ColumnList(of: AuditEntry.self, in: "audit_events")

    static var unread: AuditEntry { AuditEntry(.login, at: Timestamp(milliseconds: 0)) }

    mutating func visitColumns(_ column: inout some ColumnVisitor, _ row: borrowing AnyRow) throws {
        try column("moment", &moment, row)
        try column("kind", &kind, row)
        try column("actor", &actor, row)
        try column("user_id", &userID, row)
        try column("session_id", &sessionID, row)
        try column("provider", &provider, row)
        try column("address", &device.address, row)
        try column("user_agent", &device.userAgent, row)
        try column("detail", &detail, row)
        try column("count", &count, row)
        try column("operator", &operatorName, row)
    }
}
