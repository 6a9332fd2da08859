import Gatehouse
import SQLite

/// Columns of a user, in the order in which `User.init(_:row:from:)` reads them.
private let userColumns = "email, nickname, avatar_url, role, status, onboarding_completed, created_at"

// Put together once, and not for each request.
private let userByID = "SELECT \(userColumns) FROM users WHERE id = ?"
private let userByIdentity = """
    SELECT \(userColumns), id FROM users
    WHERE id = coalesce(
        (SELECT user_id FROM auth_accounts WHERE provider = ?1 AND provider_user_id = ?2),
        (SELECT user_id FROM auth_accounts WHERE provider = ?1 AND transfer_sub = ?3))
    """
private let loginOfUser = """
    UPDATE users SET email = coalesce(email, ?), nickname = coalesce(nickname, ?), last_login_at = ?,
        last_login_provider = ?, updated_at = ?
    WHERE id = ? AND status = 'ACTIVE' AND EXISTS (SELECT 1 FROM auth_accounts
        WHERE provider = ? AND provider_user_id = ? AND user_id = users.id)
    """

extension Connection {
    func user(_ id: UserID) throws(SQLiteError) -> User? {
        try first(userByID, .text(id.text)) { row throws(SQLiteError) in try User(id, row: row) }
    }

    func user(of identity: Identity) throws(SQLiteError) -> User? {
        try first(
            userByIdentity,
            .text(identity.provider.rawValue), .text(identity.subject), .optional(identity.transferSubject)
        ) { row throws(SQLiteError) in try User(UserID(row.text(7)), row: row) }
    }

    private func insert(_ user: User, with identity: Identity) throws(SQLiteError) {
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
        try insert(identity, of: user.id, now: user.createdAt)
    }

    /// The user of a login: the new one that it brings, or the one that it is of, as they are then. Nil where the identity
    /// is not what it was when the login was decided on.
    func user(of login: NewSession) throws(SQLiteError) -> User? {
        guard let user = login.newUser else { return try recordLogin(login) }
        guard try owner(of: login.identity) == nil else { return nil }
        try insert(user, with: login.identity)
        return user
    }

    /// Notes a login on the account and on its active user, and fills what had been empty. The user as they are now.
    private func recordLogin(_ login: NewSession) throws(SQLiteError) -> User? {
        let identity = login.identity
        let now = Value.integer(login.session.createdAt.milliseconds)
        let changed = try run(
            loginOfUser,
            .optional(identity.email), .optional(login.nickname), now, .text(identity.provider.rawValue), now,
            .text(login.session.userID.text), .text(identity.provider.rawValue), .text(identity.subject))
        guard changed == 1 else { return nil }
        try refresh(identity, now: login.session.createdAt)
        // Looked up again: for RETURNING, SQLite makes a table of its own each time.
        return try self.user(login.session.userID)
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
        ) { row throws(SQLiteError) in try User(id, row: row) }
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
        try takeDevicesFromAudit(of: id)
        return true
    }
}

extension User {
    /// Reads `userColumns`, beginning at a column.
    init(_ id: UserID, row: borrowing Row, from column: Int32 = 0) throws(SQLiteError) {
        self.init(
            id: id, email: row.optionalText(column), nickname: row.optionalText(column + 1),
            avatarURL: row.optionalText(column + 2), role: try row.case(Role.self, at: column + 3),
            status: try row.case(UserStatus.self, at: column + 4),
            onboardingCompleted: row.integer(column + 5) != 0,
            createdAt: Timestamp(milliseconds: row.integer(column + 6)))
    }
}
