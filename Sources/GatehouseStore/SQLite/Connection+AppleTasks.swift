import Gatehouse
import SQLite

extension Connection {
    func insert(_ task: AppleTask) throws(SQLiteError) {
        try run(
            """
            INSERT INTO apple_tasks (kind, user_id, client_id, secret, due_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            .text(task.kind.rawValue), .text(task.userID.text), .text(task.clientID), .blob(task.sealed),
            .integer(task.dueAt.milliseconds), .optional(task.expiresAt?.milliseconds))
    }

    /// The first task that is due, which then is due again only after its pause.
    func takeAppleTask(now: Timestamp) throws(SQLiteError) -> AppleTask? {
        try run("DELETE FROM apple_tasks WHERE expires_at <= ?", .integer(now.milliseconds))
        let task = try first(
            """
            SELECT id, kind, user_id, client_id, secret, attempts, due_at, expires_at FROM apple_tasks
            WHERE due_at <= ? ORDER BY due_at LIMIT 1
            """,
            .integer(now.milliseconds)
        ) { row throws(SQLiteError) in try AppleTask(row: row) }
        guard let task else { return nil }
        try run(
            "UPDATE apple_tasks SET attempts = attempts + 1, due_at = ? WHERE id = ?",
            .integer((now + task.pause).milliseconds), .integer(task.id))
        return task
    }

    func delete(_ task: AppleTask) throws(SQLiteError) {
        try run("DELETE FROM apple_tasks WHERE id = ?", .integer(task.id))
    }

    /// False where the user has no such account.
    func keep(
        _ sealed: [UInt8], for clientID: String, of user: UserID, subject: String
    ) throws(SQLiteError) -> Bool {
        try run(
            """
            UPDATE auth_accounts SET refresh_token = ?, client_id = ?
            WHERE user_id = ? AND provider = 'APPLE' AND provider_user_id = ?
            """,
            .blob(sealed), .text(clientID), .text(user.text), .text(subject)) == 1
    }

    /// Queues the revocation of what Apple has given for a user's account. False where it has given nothing.
    func queueRevocation(of user: UserID, now: Timestamp) throws(SQLiteError) -> Bool {
        try run(
            """
            INSERT INTO apple_tasks (kind, user_id, client_id, secret, due_at)
            SELECT 'revoke', user_id, client_id, refresh_token, ? FROM auth_accounts
            WHERE user_id = ? AND provider = 'APPLE' AND refresh_token IS NOT NULL
            """,
            .integer(now.milliseconds), .text(user.text)) > 0
    }

    /// Whether a code of theirs waits to be exchanged, and may still be good.
    func awaitsExchange(_ user: UserID, now: Timestamp) throws(SQLiteError) -> Bool {
        try first(
            "SELECT 1 FROM apple_tasks WHERE user_id = ? AND kind = 'exchange' AND expires_at > ?",
            .text(user.text), .integer(now.milliseconds)
        ) { _ in true } ?? false
    }
}

extension AppleTask {
    fileprivate init(row: borrowing Row) throws(SQLiteError) {
        self.init(
            id: row.integer(0), kind: try row.case(Kind.self, at: 1), userID: UserID(row.text(2)),
            clientID: row.text(3), sealed: row.blob(4), attempts: row.integer(5),
            dueAt: Timestamp(milliseconds: row.integer(6)),
            expiresAt: row.optionalInteger(7).map(Timestamp.init(milliseconds:)))
    }
}
