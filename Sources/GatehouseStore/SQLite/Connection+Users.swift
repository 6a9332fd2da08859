import Gatehouse
import SQLite

/// Columns of a user, in the order in which `User.init(row:from:)` reads them.
private let userColumns = "id, email, nickname, avatar_url, role, status, onboarding_completed, created_at"

extension Connection {
    func user(_ id: UserID) throws(SQLiteError) -> User? {
        try first("SELECT \(userColumns) FROM users WHERE id = ?", .text(id.text)) { row throws(SQLiteError) in
            try User(row: row)
        }
    }

    func user(provider: Provider, subject: String) throws(SQLiteError) -> User? {
        try first(
            """
            SELECT \(userColumns) FROM users
            WHERE id = (SELECT user_id FROM auth_accounts WHERE provider = ? AND provider_user_id = ?)
            """,
            .text(provider.rawValue), .text(subject)
        ) { row throws(SQLiteError) in try User(row: row) }
    }

    /// False, and nothing inserted, where the identity has a user already.
    func insert(_ user: User, with identity: Identity) throws(SQLiteError) -> Bool {
        let taken = try first(
            "SELECT 1 FROM auth_accounts WHERE provider = ? AND provider_user_id = ?",
            .text(identity.provider.rawValue), .text(identity.subject)
        ) { _ in true }
        guard taken == nil else { return false }
        let now = Value.integer(user.createdAt.milliseconds)
        try run(
            """
            INSERT INTO users (id, email, nickname, avatar_url, role, status, onboarding_completed,
                last_login_at, last_login_provider, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(user.id.text), .optional(user.email), .optional(user.nickname), .optional(user.avatarURL),
            .text(user.role.rawValue), .text(user.status.rawValue), .integer(user.onboardingCompleted ? 1 : 0),
            now, .text(identity.provider.rawValue), now, now)
        try insert(identity, of: user, now: now)
        return true
    }

    private func insert(_ identity: Identity, of user: User, now: Value) throws(SQLiteError) {
        // The account shares the sortable part of its first user's id, and so its place in time.
        let id = "acct" + user.id.text.drop { $0 != "_" }
        try run(
            """
            INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, email, email_hint,
                is_private_email, real_user_status, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(id), .text(user.id.text), .text(identity.provider.rawValue), .text(identity.subject),
            .optional(identity.email), .optional(identity.emailHint),
            .optional(identity.isPrivateEmail.map { $0 ? 1 : 0 }), .optional(identity.realUserStatus.map(Int64.init)),
            now, now)
    }

    /// Notes a login on the account and on its active user, and fills what had been empty. The user as they are now.
    func recordLogin(_ login: NewSession) throws(SQLiteError) -> User? {
        let identity = login.identity
        let now = Value.integer(login.session.createdAt.milliseconds)
        let updated = try first(
            """
            UPDATE users SET email = coalesce(email, ?), nickname = coalesce(nickname, ?), last_login_at = ?,
                last_login_provider = ?, updated_at = ?
            WHERE id = ? AND status = 'ACTIVE' AND EXISTS (SELECT 1 FROM auth_accounts
                WHERE provider = ? AND provider_user_id = ? AND user_id = users.id)
            RETURNING \(userColumns)
            """,
            .optional(identity.email), .optional(login.nickname), now, .text(identity.provider.rawValue), now,
            .text(login.session.userID.text), .text(identity.provider.rawValue), .text(identity.subject)
        ) { row throws(SQLiteError) in try User(row: row) }
        guard let updated else { return nil }
        try refresh(identity, now: now)
        return updated
    }

    /// Nil, and nothing changed, where the user is not active.
    func update(_ id: UserID, _ change: ProfileChange, now: Timestamp) throws(SQLiteError) -> User? {
        try first(
            """
            UPDATE users SET nickname = iif(?2, ?3, nickname), avatar_url = iif(?4, ?5, avatar_url),
                onboarding_completed = coalesce(?6, onboarding_completed), updated_at = ?7
            WHERE id = ?1 AND status = 'ACTIVE' RETURNING \(userColumns)
            """,
            .text(id.text), .integer(change.nickname == nil ? 0 : 1), .optional(change.nickname ?? nil),
            .integer(change.avatarURL == nil ? 0 : 1), .optional(change.avatarURL ?? nil),
            .optional(change.onboardingCompleted.map { $0 ? 1 : 0 }), .integer(now.milliseconds)
        ) { row throws(SQLiteError) in try User(row: row) }
    }

    /// Leaves of a user that there was one. False where that is so already.
    func anonymise(_ id: UserID, now: Timestamp) throws(SQLiteError) -> Bool {
        let changed = try run(
            """
            UPDATE users SET status = 'DELETED', email = NULL, nickname = NULL, avatar_url = NULL,
                onboarding_completed = 0, last_login_at = NULL, last_login_provider = NULL, updated_at = ?2
            WHERE id = ?1 AND status <> 'DELETED'
            """,
            .text(id.text), .integer(now.milliseconds))
        guard changed == 1 else { return false }
        try run("DELETE FROM auth_accounts WHERE user_id = ?", .text(id.text))
        try takeDevicesFromAudit(of: id)
        return true
    }

    /// What the provider says today stands; what it leaves out today stays as it was. Unchanged rows are not written.
    private func refresh(_ identity: Identity, now: Value) throws(SQLiteError) {
        try run(
            """
            UPDATE auth_accounts SET email = coalesce(?1, email), email_hint = coalesce(email_hint, ?2),
                is_private_email = coalesce(?3, is_private_email), real_user_status = coalesce(?4, real_user_status),
                updated_at = ?5
            WHERE provider = ?6 AND provider_user_id = ?7
                AND (email IS NOT coalesce(?1, email) OR email_hint IS NOT coalesce(email_hint, ?2)
                    OR is_private_email IS NOT coalesce(?3, is_private_email)
                    OR real_user_status IS NOT coalesce(?4, real_user_status))
            """,
            .optional(identity.email), .optional(identity.emailHint),
            .optional(identity.isPrivateEmail.map { $0 ? 1 : 0 }), .optional(identity.realUserStatus.map(Int64.init)),
            now, .text(identity.provider.rawValue), .text(identity.subject))
    }
}

extension User {
    /// Reads `userColumns`, beginning at a column.
    init(row: borrowing Row, from column: Int32 = 0) throws(SQLiteError) {
        self.init(
            id: UserID(row.text(column)), email: row.optionalText(column + 1), nickname: row.optionalText(column + 2),
            avatarURL: row.optionalText(column + 3), role: try row.case(Role.self, at: column + 4),
            status: try row.case(UserStatus.self, at: column + 5),
            onboardingCompleted: row.integer(column + 6) != 0,
            createdAt: Timestamp(milliseconds: row.integer(column + 7)))
    }
}
