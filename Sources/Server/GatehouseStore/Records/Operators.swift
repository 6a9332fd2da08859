package import Gatehouse
import POSIX
import SQL

extension RelationalStore {
    package func users(_ query: UserQuery) throws(Refusal) -> [UserRecord] {
        try reading { try $0.users(query) }
    }

    package func users(called name: String) throws(Refusal) -> [FoundUser] {
        try reading { try $0.users(called: name) }
    }

    package func disable(_ id: UserID, recording event: AuditEvent) throws(Refusal) -> Bool {
        try writing { connection in
            guard try connection.setStatus(.disabled, of: id, from: .active, now: event.moment) else { return false }
            _ = try connection.revokeAll(of: id, for: .userDisabled, now: event.moment)
            try connection.insert(UserEvent(.disabled, of: id, at: event.moment))
            try connection.insert(event)
            return true
        }
    }

    package func enable(_ id: UserID, recording event: AuditEvent) throws(Refusal) -> Bool {
        try writing { connection in
            let hadBarred = try connection.unbar(id)
            let wasDisabled = try connection.setStatus(.active, of: id, from: .disabled, now: event.moment)
            guard wasDisabled || hadBarred else { return false }
            if wasDisabled { try connection.insert(UserEvent(.enabled, of: id, at: event.moment)) }
            try connection.insert(event)
            return true
        }
    }

    package func setRole(_ role: Role, of id: UserID, recording event: AuditEvent) throws(Refusal) -> Bool {
        try writing { connection in
            guard try connection.setRole(role, of: id, now: event.moment) else { return false }
            try connection.insert(UserEvent(.updated(["role"]), of: id, at: event.moment))
            try connection.insert(event)
            return true
        }
    }

    package func auditEvents(_ query: AuditQuery) throws(Refusal) -> [AuditEvent] {
        try reading { try $0.auditEvents(query) }
    }
}

/// The columns of a user `u` for operators, in the order in which `UserRecord.init(row:_:)` reads them.
private let recordColumns = """
    u.id, \(userColumns), u.updated_at, u.last_login_at, u.last_login_provider
    """

extension RecordConnection {
    func users(_ query: UserQuery) throws -> [UserRecord] {
        try all(
            """
            SELECT \(recordColumns), \(Self.providersOfUser) FROM users u
            WHERE u.status = coalesce(?1, u.status) AND (?1 IS NOT NULL OR u.status <> 'DELETED')
                AND u.role = coalesce(?2, u.role) AND (CAST(?3 AS TEXT) IS NULL OR u.id < ?3)
            ORDER BY u.id DESC LIMIT ?4
            """,
            .optional(query.status?.rawValue), .optional(query.role?.rawValue), .optional(query.before?.text),
            .integer(Int64(query.limit))
        ) { row in
            var columns = ColumnCounter()
            return try UserRecord(row: row, &columns)
        }
    }

    func users(called name: String) throws -> [FoundUser] {
        // In the databases `lower` covers A to Z only. Other letters are in lower case when the address was stored so.
        try all(
            """
            SELECT \(recordColumns), \(Self.providersOfUser),
                u.id = ?1 OR coalesce(u.phone = ?1, FALSE) OR u.email_verified AND lower(u.email) IN (?2, ?3) OR u.id IN (
                    SELECT user_id FROM auth_accounts WHERE email_verified AND lower(email) IN (?2, ?3))
            FROM users u
            WHERE u.id = ?1 OR lower(u.email) IN (?2, ?3)
                OR u.id = (SELECT user_id FROM auth_accounts WHERE provider = 'PHONE' AND provider_user_id = ?1)
                OR u.id IN (SELECT user_id FROM auth_accounts WHERE lower(email) IN (?2, ?3))
            ORDER BY u.id
            """,
            .text(name), .text(name.withLowerASCII), .text(name.lowercased())
        ) { row in
            var columns = ColumnCounter()
            let record = try UserRecord(row: row, &columns)
            return FoundUser(record: record, isProven: row.optionalInteger(columns.next()) == 1)
        }
    }

    /// False, and nothing is changed, when the user does not have the expected status. The trigger `user_standing_changed`
    /// adds the user to the revocation log.
    func setStatus(
        _ status: UserStatus, of id: UserID, from expected: UserStatus, now: Timestamp
    ) throws -> Bool {
        try run(
            "UPDATE users SET status = ?1, updated_at = \(later("?2")) WHERE id = ?3 AND status = ?4",
            .text(status.rawValue), .integer(now.milliseconds), .text(id.text), .text(expected.rawValue)) == 1
    }

    /// False, and nothing is changed, when the user has the role already or is deleted. The trigger
    /// `user_standing_changed` adds the user to the revocation log.
    func setRole(_ role: Role, of id: UserID, now: Timestamp) throws -> Bool {
        try run(
            """
            UPDATE users SET role = ?1, updated_at = \(later("?2"))
            WHERE id = ?3 AND role <> ?1 AND status <> 'DELETED'
            """,
            .text(role.rawValue), .integer(now.milliseconds), .text(id.text)) == 1
    }
}

extension UserRecord {
    /// Reads `recordColumns` and `providersOfUser`.
    fileprivate init(row: borrowing any SQLRow & ~Copyable, _ columns: inout ColumnCounter) throws {
        let id = UserID(row.text(columns.next()))
        self.init(
            user: try User(id, row: row, &columns), updatedAt: row.timestamp(columns.next()),
            lastLoginAt: row.optionalTimestamp(columns.next()),
            lastLoginProvider: try row.optionalCase(Provider.self, at: columns.next()),
            providers: (row.optionalText(columns.next()) ?? "").split(separator: " ")
                .compactMap { Provider(rawValue: String($0)) })
    }
}
