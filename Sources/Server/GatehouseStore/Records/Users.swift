package import Gatehouse
import PostgreSQL
import SQL

let userColumns = User.columns.selected(from: "u")

// Constants, so that they are not built for each request.
private let userByID = "SELECT \(userColumns) FROM users u WHERE u.id = ?"
private let summaryColumns = "u.id, \(userColumns), u.updated_at, u.last_login_at, u.attributes_version"
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
    package func setAttributes(_ change: AttributesChange) throws(Refusal) -> AttributesOutcome {
        try writing { connection in
            try connection.lock(change.user)
            guard let former = try connection.summary(of: change.user), former.user.status != .deleted else {
                return .unknownUser
            }
            guard change.attributes != former.user.attributes else { return .done(former) }
            guard change.expected?.contains(former.attributesVersion) != false else {
                return .conflict(former.attributesVersion)
            }
            let now = change.entry.moment
            try connection.setAttributes(change.attributes, of: change.user, now: now)
            // Whatever changes: another node may list other names for tokens. A change of what is in no token ends none.
            try connection.logChange(of: change.user)
            try connection.insert(UserEvent(.updated(["attributes"]), of: change.user, at: now))
            try connection.insert(change.entry(changing: former.user.attributes))
            return try connection.summary(of: change.user).map(AttributesOutcome.done) ?? .unknownUser
        }
    }

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

    /// - Parameter provider: the provider of the last login, which nobody knows of an imported user.
    func insert(_ user: User, lastLoginAt login: Timestamp?, by provider: Provider?, now: Timestamp) throws {
        try send(
            User.columns.insert,
            values: user.insertedValues(
                after: .text(user.id.text), .optional(login?.milliseconds), .optional(provider?.rawValue),
                .integer(now.milliseconds)))
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

    /// Tokens with the attributes before stay valid, unless the caller adds the user to the revocation log.
    func setAttributes(_ attributes: Attributes, of id: UserID, now: Timestamp) throws {
        try send(
            """
            UPDATE users SET attributes = ?2, attributes_version = attributes_version + 1, updated_at = \(later("?3"))
            WHERE id = ?1
            """,
            .text(id.text), .text(attributes.json), .integer(now.milliseconds))
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
    /// the user to the revocation log, and `deleted_user_loses_attributes` clears the attributes.
    func anonymise(_ id: UserID, now: Timestamp) throws -> Bool {
        let changed = try run(
            """
            UPDATE users SET status = 'DELETED', email = NULL, email_verified = FALSE, nickname = NULL,
                avatar_url = NULL, onboarding_completed = FALSE, last_login_at = NULL, last_login_provider = NULL,
                guest_key = NULL,
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
    fileprivate init(row: borrowing AnyRow) throws {
        var columns = ColumnCounter()
        let id = UserID(row.text(columns.next()))
        let user = try User(id, row: row, &columns)
        self.init(
            user: user, updatedAt: row.timestamp(columns.next()), lastLoginAt: row.optionalTimestamp(columns.next()),
            attributesVersion: row.integer(columns.next()))
    }
}

extension User: Record {
    static let columns = ColumnList(
        of: User.self, in: "users", after: ["id", "last_login_at", "last_login_provider", "updated_at"])

    static var unread: User { unread(UserID("")) }

    private static func unread(_ id: UserID) -> User {
        User(id: id, email: nil, nickname: nil, createdAt: Timestamp(milliseconds: 0))
    }

    /// Reads `userColumns`.
    init(_ id: UserID, row: borrowing AnyRow, _ columns: inout ColumnCounter) throws {
        self = .unread(id)
        try visitColumns(&columns, row)
    }

    mutating func visitColumns(_ column: inout some ColumnVisitor, _ row: borrowing AnyRow) throws {
        try column("email", &email, row)
        try column("email_verified", &emailVerified, row)
        try column("nickname", &nickname, row)
        try column("avatar_url", &avatarURL, row)
        try column("role", &role, row)
        try column("status", &status, row)
        try column("onboarding_completed", &onboardingCompleted, row)
        try column("created_at", &createdAt, row)
        // Set to NULL by triggers, when the user gets an account.
        try column("guest_key", &guestKey, row)
        guard !column.isInsert else { return }
        // Written by a trigger, with the account at PHONE.
        try column("phone", &phone, row)
        // Of a new user only an import has some.
        try column("attributes", &attributes, row)
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
            WHERE u.id > coalesce(?1, '') AND u.status <> 'DELETED' AND u.guest_key IS NULL ORDER BY u.id LIMIT ?2
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
