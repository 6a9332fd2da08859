import Gatehouse
import SQLite

/// Columns of a user `u`, in the order in which `User.init(_:row:from:)` reads them.
let userColumns = """
    u.email, u.email_verified, u.nickname, u.avatar_url, u.role, u.status, u.onboarding_completed, u.created_at
    """

// Put together once, and not for each request.
private let userByID = "SELECT \(userColumns) FROM users u WHERE u.id = ?"
private let noteLogin = """
    UPDATE users SET email = ?, email_verified = ?, nickname = ?, last_login_at = ?, last_login_provider = ?, updated_at = ?
    WHERE id = ?
    """

extension Connection {
    func user(_ id: UserID) throws(SQLiteError) -> User? {
        try first(userByID, .text(id.text)) { row throws(SQLiteError) in try User(id, row: row) }
    }

    private func insert(_ user: User, with identity: Identity) throws(SQLiteError) {
        let now = Value.integer(user.createdAt.milliseconds)
        try run(
            """
            INSERT INTO users (id, email, email_verified, nickname, avatar_url, role, status, onboarding_completed,
                last_login_at, last_login_provider, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(user.id.text), .optional(user.email), .flag(user.emailVerified), .optional(user.nickname),
            .optional(user.avatarURL),
            .text(user.role.rawValue), .text(user.status.rawValue), .flag(user.onboardingCompleted),
            now, .text(identity.provider.rawValue), now, now)
        try insert(identity, of: user.id, now: user.createdAt)
    }

    /// The user of a login as they are now: the new one, or the one who is known.
    func user(of login: Login, opening new: NewSession, known: KnownIdentity?) throws(SQLiteError) -> User {
        if let known { return try record(login, at: new.session.createdAt, of: known) }
        try insert(new.user, with: login.identity)
        return new.user
    }

    /// Notes a login of a known user, fills what had been empty, and has the account say what the provider says.
    private func record(_ login: Login, at moment: Timestamp, of known: KnownIdentity) throws(SQLiteError) -> User {
        var user = known.user
        user.learnEmail(of: login.identity)
        user.nickname = user.nickname ?? login.nickname
        try run(
            noteLogin,
            .optional(user.email), .flag(user.emailVerified), .optional(user.nickname), .integer(moment.milliseconds),
            .text(login.identity.provider.rawValue), .integer(moment.milliseconds), .text(user.id.text))
        if known.account.subject != login.identity.subject { try follow(login.identity, now: moment) }
        if known.account.learns(from: login.identity) { try refresh(login.identity, now: moment) }
        return user
    }

    /// What a newly linked identity says of the user's own address.
    func noteEmail(of identity: Identity, for user: UserID) throws(SQLiteError) {
        guard let email = identity.email, let verified = identity.emailVerified else { return }
        try run(
            "UPDATE users SET email_verified = ? WHERE id = ? AND email = ? COLLATE NOCASE", .flag(verified),
            .text(user.text), .text(email))
    }

    /// Nil, and nothing changed, where the user is not active.
    func update(_ id: UserID, _ change: ProfileChange, now: Timestamp) throws(SQLiteError) -> User? {
        let changed = try run(
            """
            UPDATE users SET nickname = iif(?2, ?3, nickname), avatar_url = iif(?4, ?5, avatar_url),
                onboarding_completed = coalesce(?6, onboarding_completed), updated_at = ?7
            WHERE id = ?1 AND status = 'ACTIVE'
            """,
            .text(id.text), .integer(change.nickname == nil ? 0 : 1), .optional(change.nickname ?? nil),
            .integer(change.avatarURL == nil ? 0 : 1), .optional(change.avatarURL ?? nil),
            .optional(change.onboardingCompleted.map { $0 ? 1 : 0 }), .integer(now.milliseconds))
        return changed == 1 ? try user(id) : nil
    }

    /// Leaves of a user that there was one. False where that is so already.
    func anonymise(_ id: UserID, now: Timestamp) throws(SQLiteError) -> Bool {
        let changed = try run(
            """
            UPDATE users SET status = 'DELETED', email = NULL, email_verified = 0, nickname = NULL,
                avatar_url = NULL, onboarding_completed = 0, last_login_at = NULL, last_login_provider = NULL, updated_at = ?2
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
            id: id, email: row.optionalText(column), emailVerified: row.integer(column + 1) != 0,
            nickname: row.optionalText(column + 2), avatarURL: row.optionalText(column + 3),
            role: try row.case(Role.self, at: column + 4), status: try row.case(UserStatus.self, at: column + 5),
            onboardingCompleted: row.integer(column + 6) != 0,
            createdAt: Timestamp(milliseconds: row.integer(column + 7)))
    }

    /// Fills an empty address, and notes what the provider says of the one that is there.
    fileprivate mutating func learnEmail(of identity: Identity) {
        if email == nil {
            (email, emailVerified) = (identity.email, identity.hasVerifiedEmail)
        } else if let verified = identity.emailVerified, let email, let other = identity.email,
            email.isSameAddress(as: other)
        {
            emailVerified = verified
        }
    }
}

extension String {
    /// As SQLite compares addresses: byte by byte, A to Z in either case. Swift takes more characters for the same.
    fileprivate func isSameAddress(as other: String) -> Bool {
        func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        return utf8.map(lowered) == other.utf8.map(lowered)
    }
}
