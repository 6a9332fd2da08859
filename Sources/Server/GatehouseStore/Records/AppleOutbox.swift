package import Gatehouse
import SQL

extension RelationalStore {
    package func takeAppleTask(now: Timestamp) throws(Refusal) -> AppleTask? {
        // Polled every second, and rarely finds a task. A read is enough to find out, and does not need the writer.
        let isDue = try reading { connection in
            try connection.first("SELECT 1 FROM apple_tasks WHERE due_at <= ?", .integer(now.milliseconds)) { _ in
                true
            }
        }
        guard isDue != nil else { return nil }
        return try writing { try $0.takeAppleTask(now: now) }
    }

    package func postpone(_ task: AppleTask, now: Timestamp) throws(Refusal) {
        try writing { connection in
            // Once the lease has ended, another node may have taken it.
            try connection.send(
                "UPDATE apple_tasks SET due_at = ? WHERE id = ? AND attempts = ?",
                .integer((now + task.backoff).milliseconds), .integer(task.id), .integer(task.attempts + 1))
        }
    }

    package func finish(_ task: AppleTask) throws(Refusal) {
        try writing { try $0.delete(task) }
    }

    package func finish(
        _ exchange: AppleTask, sealing seal: @escaping @Sendable (_ owner: UserID) -> [UInt8], of subject: String,
        now: Timestamp
    ) throws(Refusal) {
        try writing { connection in
            try connection.lock(exchange.userID)
            let user = try connection.user(of: exchange) ?? exchange.userID
            if user != exchange.userID { try connection.lock(user) }
            try connection.delete(exchange)
            let isKept = try connection.keep(seal(user), for: exchange.clientID, of: user, subject: subject)
            guard !isKept else { return }
            // The code was issued to another user: their token must not be revoked.
            let owner = try connection.owner(of: Identity(provider: .apple, subject: subject, email: nil))
            guard try owner == nil && !connection.hasAccount(user, of: .apple) else { return }
            try connection.insert(
                AppleTask(kind: .revoke, userID: user, clientID: exchange.clientID, sealed: seal(user), dueAt: now))
        }
    }
}

extension RecordConnection {
    func insert(_ task: AppleTask) throws {
        try send(AppleTask.columns.insert, values: task.insertedValues())
    }

    /// Takes the first task that is due, for the time of the lease. Also one that seems to have expired: Apple decides that
    /// by its own clock.
    func takeAppleTask(now: Timestamp) throws -> AppleTask? {
        let task = try first(
            """
            SELECT \(AppleTask.columns.selected) FROM apple_tasks
            WHERE due_at <= ? ORDER BY due_at LIMIT 1 \(Self.skippingLockedRows)
            """,
            .integer(now.milliseconds)
        ) { row in try AppleTask(row: row) }
        guard let task else { return nil }
        try send(
            "UPDATE apple_tasks SET attempts = attempts + 1, due_at = ? WHERE id = ?",
            .integer((now + AppleTask.lease).milliseconds), .integer(task.id))
        return task
    }

    /// Whose task it is now: the user may have joined another one since it was taken. Nil if it is gone.
    fileprivate func user(of task: AppleTask) throws -> UserID? {
        try first("SELECT user_id FROM apple_tasks WHERE id = ?", .integer(task.id)) { row in UserID(row.text(0)) }
    }

    func delete(_ task: AppleTask) throws {
        try send("DELETE FROM apple_tasks WHERE id = ?", .integer(task.id))
    }

    /// False when the user has no such account.
    func keep(
        _ sealed: [UInt8], for clientID: String, of user: UserID, subject: String
    ) throws -> Bool {
        try run(
            """
            UPDATE auth_accounts SET refresh_token = ?, client_id = ?
            WHERE user_id = ? AND provider = 'APPLE' AND ? IN (provider_user_id, former_sub)
            """,
            .blob(sealed), .text(clientID), .text(user.text), .text(subject)) == 1
    }

    /// Queues the revocation of the Apple token of a user's account. False when there is none.
    func queueRevocation(of user: UserID, now: Timestamp) throws -> Bool {
        try run(
            """
            INSERT INTO apple_tasks (kind, user_id, client_id, secret, due_at)
            SELECT 'revoke', user_id, client_id, refresh_token, CAST(? AS BIGINT) FROM auth_accounts
            WHERE user_id = ? AND provider = 'APPLE' AND refresh_token IS NOT NULL
            """,
            .integer(now.milliseconds), .text(user.text)) > 0
    }

    /// Whether an unexpired code of the user waits to be exchanged.
    func awaitsExchange(_ user: UserID, now: Timestamp) throws -> Bool {
        try first(
            "SELECT 1 FROM apple_tasks WHERE user_id = ? AND kind = 'exchange' AND expires_at > ?",
            .text(user.text), .integer(now.milliseconds)
        ) { _ in true } ?? false
    }
}

extension RecordConnection {
    /// One value for each kind, also when there are no tasks. It reads the whole table, which is short unless Apple has
    /// been down for days.
    func appleBacklog() throws -> [AppleBacklog] {
        let groups = try all(
            "SELECT kind, attempts, count(*), min(due_at) FROM apple_tasks GROUP BY kind, attempts"
        ) { row in
            let kind = try row.case(AppleTask.Kind.self, at: 0)
            return AppleBacklog(
                kind: kind, count: Int(row.integer(2)),
                since: AppleTask.queuedAt(kind, attempts: row.integer(1), dueAt: row.timestamp(3)))
        }
        return AppleTask.Kind.allCases.map { kind in
            let own = groups.filter { $0.kind == kind }
            return AppleBacklog(
                kind: kind, count: own.reduce(0) { $0 + $1.count }, since: own.compactMap(\.since).min())
        }
    }
}

/// The unfinished Apple tasks of one kind.
package struct AppleBacklog: Sendable, Equatable {
    package let kind: AppleTask.Kind
    package let count: Int
    /// When the oldest of them was queued.
    package let since: Timestamp?
}

extension AppleTask: Record {
    static let columns = ColumnList(of: AppleTask.self, in: "apple_tasks")

    static var unread: AppleTask {
        AppleTask(kind: .revoke, userID: UserID(""), clientID: "", sealed: [], dueAt: Timestamp(milliseconds: 0))
    }

    mutating func visitColumns(_ column: inout some ColumnVisitor, _ row: borrowing AnyRow) throws {
        try column("kind", &kind, row)
        try column("user_id", &userID, row)
        try column("client_id", &clientID, row)
        try column("secret", &sealed, row)
        try column("due_at", &dueAt, row)
        try column("expires_at", &expiresAt, row)
        guard !column.isInsert else { return }
        try column("id", &id, row)
        try column("attempts", &attempts, row)
    }
}
