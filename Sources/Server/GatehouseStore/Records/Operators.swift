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

    package func disable(_ id: UserID, recording event: AuditEntry) throws(Refusal) -> Bool {
        try writing { connection in
            guard try connection.disable(id, now: event.moment) != nil else { return false }
            try connection.insert(event)
            return true
        }
    }

    package func enable(_ id: UserID, recording event: AuditEntry) throws(Refusal) -> Bool {
        try writing { connection in
            guard try connection.enable(id, now: event.moment) else { return false }
            try connection.insert(event)
            return true
        }
    }

    package func setRole(_ role: Role, of id: UserID, recording event: AuditEntry) throws(Refusal) -> Bool {
        try writing { connection in
            guard try connection.give(role, to: id, now: event.moment) else { return false }
            try connection.insert(event)
            return true
        }
    }

    package func auditEvents(_ query: AuditQuery) throws(Refusal) -> [AuditEntry] {
        try reading { try $0.auditEvents(query) }
    }
}

extension RecordConnection {
    /// Disables an active user. Returns the sessions that ended; nil, and nothing is changed, for any other user.
    func disable(_ id: UserID, now: Timestamp) throws -> [EndedSession]? {
        guard try setStatus(.disabled, of: id, from: .active, now: now) else { return nil }
        let ended = try revokeAll(of: id, for: .userDisabled, now: now)
        try insert(UserEvent(.disabled, of: id, at: now))
        return ended
    }

    /// False, and nothing is changed, when the user is not disabled and none of their identities is barred.
    func enable(_ id: UserID, now: Timestamp) throws -> Bool {
        let hadBarred = try unbar(id)
        let wasDisabled = try setStatus(.active, of: id, from: .disabled, now: now)
        if wasDisabled { try insert(UserEvent(.enabled, of: id, at: now)) }
        return wasDisabled || hadBarred
    }

    /// False, and nothing is changed, when the user has the role already, is deleted or a guest.
    func give(_ role: Role, to id: UserID, now: Timestamp) throws -> Bool {
        guard try setRole(role, of: id, now: now) else { return false }
        try insert(UserEvent(.updated(["role"]), of: id, at: now))
        return true
    }
}

/// The columns of a user `u` for operators, in the order in which `UserRecord.init(row:_:)` reads them.
let recordColumns = """
    u.id, \(userColumns), u.updated_at, u.last_login_at, u.last_login_provider
    """

/// The ids of the users who have a name: an id or a phone number, or an address in lower case, in two forms.
enum UserSearch {
    static let byIDOrPhone = """
        SELECT id FROM users WHERE id = ?1
        UNION SELECT user_id FROM auth_accounts WHERE provider = 'PHONE' AND provider_user_id = ?1 ORDER BY 1
        """
    static let byAddress = """
        SELECT id FROM users WHERE email IS NOT NULL AND lower(email) IN (?1, ?2)
        UNION SELECT user_id FROM auth_accounts WHERE email IS NOT NULL AND lower(email) IN (?1, ?2) ORDER BY 1
        """
    /// The user with an id, and whether the name `?2` is proven. A statement of its own: in one with the search, PostgreSQL
    /// expects more users, and reads all of them.
    static func record(providers: String) -> String {
        """
        SELECT \(recordColumns), \(providers),
            u.id = ?2 OR coalesce(u.phone = ?2, FALSE) OR u.email_verified AND lower(u.email) IN (?3, ?4) OR EXISTS (
                SELECT 1 FROM auth_accounts WHERE user_id = u.id AND email_verified AND lower(email) IN (?3, ?4))
        FROM users u WHERE u.id = ?1
        """
    }
}

extension UserQuery {
    /// For a user `u`, with `before` as `?1`. The literals show that the rows are in `users_by_role` or `users_by_status`: few
    /// users have another role than USER or another status than ACTIVE, and a search for them must not read all users.
    fileprivate var condition: String {
        var parts = [before == nil ? "CAST(?1 AS TEXT) IS NULL" : "u.id < ?1"]
        if let role { parts.append("u.role = '\(role.rawValue)'") }
        if let role, role != .user { parts.append("u.role <> 'USER'") }
        parts.append(status.map { "u.status = '\($0.rawValue)'" } ?? "u.status <> 'DELETED'")
        if let status, status != .active { parts.append("u.status <> 'ACTIVE'") }
        return parts.joined(separator: " AND ")
    }
}

extension RecordConnection {
    static func statement(of query: UserQuery) -> String {
        """
        SELECT \(recordColumns), \(providersOfUser) FROM users u WHERE \(query.condition)
        ORDER BY u.id DESC LIMIT ?2
        """
    }

    func users(_ query: UserQuery) throws -> [UserRecord] {
        try all(
            Self.statement(of: query), .optional(query.before?.text), .integer(Int64(query.limit))
        ) { row in
            var columns = ColumnCounter()
            return try UserRecord(row: row, &columns)
        }
    }

    func users(called name: String) throws -> [FoundUser] {
        // In the databases `lower` covers A to Z only. Other letters are in lower case when the address was stored so.
        let addresses = (Value.text(name.withLowerASCII), Value.text(name.lowercased()))
        var ids = try all(UserSearch.byIDOrPhone, .text(name)) { $0.text(0) }
        if ids.isEmpty { ids = try all(UserSearch.byAddress, addresses.0, addresses.1) { $0.text(0) } }
        return try ids.compactMap { id in
            try first(
                UserSearch.record(providers: Self.providersOfUser), .text(id), .text(name), addresses.0, addresses.1
            ) { row in
                var columns = ColumnCounter()
                let record = try UserRecord(row: row, &columns)
                return FoundUser(record: record, isProven: row.optionalInteger(columns.next()) == 1)
            }
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

    /// False, and nothing is changed, when the user has the role already, is deleted or a guest. The trigger
    /// `user_standing_changed` adds the user to the revocation log.
    func setRole(_ role: Role, of id: UserID, now: Timestamp) throws -> Bool {
        try run(
            """
            UPDATE users SET role = ?1, updated_at = \(later("?2"))
            WHERE id = ?3 AND role <> ?1 AND status <> 'DELETED' AND guest_key IS NULL
            """,
            .text(role.rawValue), .integer(now.milliseconds), .text(id.text)) == 1
    }
}

extension UserRecord {
    /// Reads `recordColumns` and `providersOfUser`.
    init(row: borrowing any SQLRow & ~Copyable, _ columns: inout ColumnCounter) throws {
        let id = UserID(row.text(columns.next()))
        self.init(
            user: try User(id, row: row, &columns), updatedAt: row.timestamp(columns.next()),
            lastLoginAt: row.optionalTimestamp(columns.next()),
            lastLoginProvider: try row.optionalCase(Provider.self, at: columns.next()),
            providers: (row.optionalText(columns.next()) ?? "").split(separator: " ")
                .compactMap { Provider(rawValue: String($0)) })
    }
}
