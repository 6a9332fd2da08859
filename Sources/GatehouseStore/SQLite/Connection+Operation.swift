import Gatehouse
import SQLite

/// A user `u`, and what operators see beside.
private let recordColumns = """
    u.id, \(userColumns), u.updated_at, u.last_login_at, u.last_login_provider,
    (SELECT group_concat(provider) FROM (SELECT provider FROM auth_accounts WHERE user_id = u.id ORDER BY provider))
    """

extension Connection {
    func users(_ query: UserQuery) throws(SQLiteError) -> [UserRecord] {
        try all(
            """
            SELECT \(recordColumns) FROM users u
            WHERE u.status = coalesce(?1, u.status) AND (?1 IS NOT NULL OR u.status <> 'DELETED')
                AND u.role = coalesce(?2, u.role) AND (?3 IS NULL OR u.id < ?3)
            ORDER BY u.id DESC LIMIT ?4
            """,
            .optional(query.status?.rawValue), .optional(query.role?.rawValue), .optional(query.before?.text),
            .integer(Int64(query.limit))
        ) { row throws(SQLiteError) in try UserRecord(row: row) }
    }

    func users(called name: String) throws(SQLiteError) -> [FoundUser] {
        // SQLite knows the case of A to Z alone; other letters were lowered by whoever lowered the address.
        try all(
            """
            SELECT \(recordColumns),
                u.id = ?1 OR u.email_verified AND u.email COLLATE NOCASE IN (?1, ?2) OR u.id IN (
                    SELECT user_id FROM auth_accounts WHERE email_verified AND email COLLATE NOCASE IN (?1, ?2))
            FROM users u
            WHERE u.id = ?1 OR u.email COLLATE NOCASE IN (?1, ?2)
                OR u.id IN (SELECT user_id FROM auth_accounts WHERE email COLLATE NOCASE IN (?1, ?2))
            ORDER BY u.id
            """,
            .text(name), .text(name.lowercased())
        ) { row throws(SQLiteError) in
            FoundUser(record: try UserRecord(row: row), isProven: row.optionalInteger(13) == 1)
        }
    }

    /// False, and nothing changed, where the user is not of the status expected.
    func setStatus(
        _ status: UserStatus, of id: UserID, from expected: UserStatus, now: Timestamp
    ) throws(SQLiteError) -> Bool {
        try run(
            "UPDATE users SET status = ?1, updated_at = ?2 WHERE id = ?3 AND status = ?4",
            .text(status.rawValue), .integer(now.milliseconds), .text(id.text), .text(expected.rawValue)) == 1
    }

    /// False, and nothing changed, where the role is theirs already or they are gone.
    func setRole(_ role: Role, of id: UserID, now: Timestamp) throws(SQLiteError) -> Bool {
        try run(
            "UPDATE users SET role = ?1, updated_at = ?2 WHERE id = ?3 AND role <> ?1 AND status <> 'DELETED'",
            .text(role.rawValue), .integer(now.milliseconds), .text(id.text)) == 1
    }
}

extension UserRecord {
    /// Reads `recordColumns`.
    fileprivate init(row: borrowing Row) throws(SQLiteError) {
        self.init(
            user: try User(UserID(row.text(0)), row: row, from: 1), updatedAt: Timestamp(milliseconds: row.integer(9)),
            lastLoginAt: row.optionalInteger(10).map(Timestamp.init(milliseconds:)),
            lastLoginProvider: try row.optionalCase(Provider.self, at: 11),
            providers: row.text(12).split(separator: ",").compactMap { Provider(rawValue: String($0)) })
    }
}
