package import Gatehouse
import PostgreSQL
import SQL

/// The columns of a user `u`, in the order in which `User.init(_:row:_:)` reads them.
let userColumns = """
    u.email, u.email_verified, u.phone, u.nickname, u.avatar_url, u.role, u.status, u.onboarding_completed, u.created_at
    """

// A constant, so that it is not built for each request.
private let userByID = "SELECT \(userColumns) FROM users u WHERE u.id = ?"
private let summaryColumns = "u.id, \(userColumns), u.updated_at, u.last_login_at"
private let summaryByID = "SELECT \(summaryColumns) FROM users u WHERE u.id = ?"
private let summariesByID = "SELECT \(summaryColumns) FROM users u WHERE u.id = ANY (?1::text[])"

/// The time of a change. Each change of a user gets a later time than the previous one, also while a clock is behind, because
/// services keep the data with the latest time.
func later(_ moment: String) -> String {
    "CASE WHEN updated_at < \(moment) THEN \(moment) ELSE updated_at + 1 END"
}

private let updateOfLogin = """
    UPDATE users SET last_login_at = ?1, last_login_provider = ?2, updated_at = \(later("?1")) WHERE id = ?3
    """

extension RelationalStore {
    package func update(_ id: UserID, _ change: ProfileChange, now: Timestamp) throws(Refusal) -> User? {
        try writing { connection in
            try connection.lock(id)
            guard let former = try connection.user(id) else { return nil }
            guard let user = try connection.update(id, change, now: now) else { return nil }
            try connection.insert(UserEvent.update(of: user, from: former, at: now))
            return user
        }
    }
}

extension RecordConnection {
    func user(_ id: UserID) throws -> User? {
        try first(userByID, .text(id.text)) { row in
            var columns = ColumnCounter()
            return try User(id, row: row, &columns)
        }
    }

    func summary(of id: UserID) throws -> UserSummary? {
        try first(summaryByID, .text(id.text)) { try UserSummary(row: $0) }
    }

    func insert(_ user: User, lastLoginBy provider: Provider) throws {
        let now = Value.integer(user.createdAt.milliseconds)
        try send(
            """
            INSERT INTO users (id, email, email_verified, nickname, avatar_url, role, status, onboarding_completed,
                last_login_at, last_login_provider, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(user.id.text), .optional(user.email), .flag(user.emailVerified), .optional(user.nickname),
            .optional(user.avatarURL), .text(user.role.rawValue), .text(user.status.rawValue),
            .flag(user.onboardingCompleted), now, .text(provider.rawValue), now, now)
    }

    /// Nil, and nothing is changed, when the user is not active.
    fileprivate func update(_ id: UserID, _ change: ProfileChange, now: Timestamp) throws -> User? {
        let changed = try run(
            """
            UPDATE users SET nickname = CASE WHEN ?2 THEN ?3 ELSE nickname END,
                avatar_url = CASE WHEN ?4 THEN ?5 ELSE avatar_url END,
                onboarding_completed = coalesce(?6, onboarding_completed), updated_at = \(later("?7"))
            WHERE id = ?1 AND status = 'ACTIVE'
            """,
            .text(id.text), .integer(change.nickname == nil ? 0 : 1), .optional(change.nickname ?? nil),
            .integer(change.avatarURL == nil ? 0 : 1), .optional(change.avatarURL ?? nil),
            .optional(change.onboardingCompleted.map { $0 ? 1 : 0 }), .integer(now.milliseconds))
        return changed == 1 ? try user(id) : nil
    }

    /// Writes what a login may change of a user. Most logins change nothing that is in an index, and SQLite writes the entries
    /// of all columns that a statement names.
    func updateAtLogin(_ user: User, from former: User?, by provider: Provider, now: Timestamp) throws {
        try send(
            updateOfLogin, .integer(now.milliseconds), .text(provider.rawValue), .text(user.id.text))
        guard user != former else { return }
        try send(
            "UPDATE users SET email = ?1, email_verified = ?2, nickname = ?3 WHERE id = ?4",
            .optional(user.email), .flag(user.emailVerified), .optional(user.nickname), .text(user.id.text))
    }

    /// For a change in another table that is a change of the user.
    func markUpdated(_ id: UserID, now: Timestamp) throws {
        try send(
            "UPDATE users SET updated_at = \(later("?2")) WHERE id = ?1", .text(id.text), .integer(now.milliseconds))
    }

    func updateAddress(of user: User, now: Timestamp) throws {
        try send(
            "UPDATE users SET email = ?2, email_verified = ?3, updated_at = \(later("?4")) WHERE id = ?1",
            .text(user.id.text), .optional(user.email), .flag(user.emailVerified), .integer(now.milliseconds))
    }

    /// When a user last signed in or refreshed.
    func lastUse(of id: UserID) throws -> Timestamp? {
        try first(
            """
            SELECT max(moment) FROM (
                SELECT last_login_at AS moment FROM users WHERE id = ?1
                UNION ALL SELECT rotated_at FROM refresh_tokens WHERE user_id = ?1) AS uses
            """,
            .text(id.text)
        ) { row in row.optionalTimestamp(0) } ?? nil
    }

    /// Removes all personal data of a user. False when the user is deleted already. The trigger `user_standing_changed` adds
    /// the user to the revocation log.
    func anonymise(_ id: UserID, now: Timestamp) throws -> Bool {
        let changed = try run(
            """
            UPDATE users SET status = 'DELETED', email = NULL, email_verified = FALSE, nickname = NULL,
                avatar_url = NULL, onboarding_completed = FALSE, last_login_at = NULL, last_login_provider = NULL,
                updated_at = \(later("?2"))
            WHERE id = ?1 AND status <> 'DELETED'
            """,
            .text(id.text), .integer(now.milliseconds))
        guard changed == 1 else { return false }
        try removeDevicesFromAudit(of: id)
        return true
    }
}

extension PostgreSQL.Connection {
    /// The users of a batch.
    func summaries(of ids: [UserID]) throws -> [UserID: UserSummary] {
        let rows = try all(summariesByID, with: [.texts(ids.map(\.text))]) { try UserSummary(row: $0) }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.user.id, $0) })
    }
}

extension UserSummary {
    /// Reads `summaryColumns`.
    fileprivate init(row: borrowing any SQLRow & ~Copyable) throws {
        var columns = ColumnCounter()
        let id = UserID(row.text(columns.next()))
        let user = try User(id, row: row, &columns)
        self.init(
            user: user, updatedAt: row.timestamp(columns.next()), lastLoginAt: row.optionalTimestamp(columns.next()))
    }
}

extension User {
    /// Reads `userColumns`.
    init(_ id: UserID, row: borrowing any SQLRow & ~Copyable, _ columns: inout ColumnCounter) throws {
        self.init(
            id: id, email: row.optionalText(columns.next()), emailVerified: row.integer(columns.next()) != 0,
            phone: row.optionalText(columns.next()), nickname: row.optionalText(columns.next()),
            avatarURL: row.optionalText(columns.next()),
            role: try row.case(Role.self, at: columns.next()),
            status: try row.case(UserStatus.self, at: columns.next()),
            onboardingCompleted: row.integer(columns.next()) != 0, createdAt: row.timestamp(columns.next()))
    }
}

extension RelationalStore {
    package func exportedUsers(after last: UserID?, limit: Int) throws(Refusal) -> [ExportedUser] {
        try reading { try $0.exportedUsers(after: last, limit: limit) }
    }
}

extension RecordConnection {
    fileprivate func exportedUsers(after last: UserID?, limit: Int) throws -> [ExportedUser] {
        let users = try all(
            """
            SELECT u.id, \(userColumns), u.last_login_at FROM users u
            WHERE u.id > coalesce(?1, '') AND u.status <> 'DELETED' ORDER BY u.id LIMIT ?2
            """,
            .optional(last?.text), .integer(Int64(limit))
        ) { row in
            var columns = ColumnCounter()
            let id = UserID(row.text(columns.next()))
            return (user: try User(id, row: row, &columns), lastLoginAt: row.optionalTimestamp(columns.next()))
        }
        guard let first = users.first?.user.id, let final = users.last?.user.id else { return [] }
        let accounts = Dictionary(grouping: try accounts(ofUsersFrom: first, through: final), by: \.user)
        let passkeys = Dictionary(grouping: try passkeys(ofUsersFrom: first, through: final), by: \.user)
        return users.map { user, lastLoginAt in
            ExportedUser(
                user: user, lastLoginAt: lastLoginAt, accounts: accounts[user.id]?.map(\.account) ?? [],
                passkeys: passkeys[user.id]?.map(\.passkey) ?? [])
        }
    }
}

/// Counts the columns of a row while they are read in order, so that no reader depends on a column's number.
struct ColumnCounter {
    private var column: Int32 = -1

    mutating func next() -> Int32 {
        column += 1
        return column
    }
}

extension SQLRow where Self: ~Copyable {
    /// A column with one of a fixed set of words. Another word means a damaged or foreign database, and
    /// must not become a default.
    @inline(__always)
    func `case`<Word: RawRepresentable<String>>(_: Word.Type, at column: Int32) throws -> Word {
        guard let word = Word(rawValue: text(column)) else {
            throw UnreadableValue("a column holds a word that is not one of \(Word.self)")
        }
        return word
    }

    /// The same for a column that may be NULL.
    func optionalCase<Word: RawRepresentable<String>>(_: Word.Type, at column: Int32) throws -> Word? {
        optionalText(column) == nil ? nil : try self.case(Word.self, at: column)
    }

    func timestamp(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }

    func optionalTimestamp(_ column: Int32) -> Timestamp? {
        optionalInteger(column).map(Timestamp.init(milliseconds:))
    }

    func device(_ columns: inout ColumnCounter) -> Device {
        Device(userAgent: optionalText(columns.next()), address: optionalText(columns.next()))
    }
}
