import Gatehouse
import SQLite

extension Connection {
    /// Looks at all of a database: every page and index, every reference, the schema, and, where the schema is the one of
    /// this program, some rows as the server reads them. Throws a `DatabaseFault` where it is not to be relied on.
    func inspect(at now: Timestamp) throws -> DatabaseSummary {
        do {
            let schema = try Migrator(self).ownVersion()
            guard schema > 0 else { throw DatabaseFault("the file is empty") }
            if let damage = try damage() { throw DatabaseFault("the file is damaged: \(damage)") }
            if schema == Migrator.latest { try readAsServer() }
            return DatabaseSummary(
                schema: schema, users: try count("users WHERE status <> 'DELETED'"),
                sessions: try count("refresh_tokens WHERE revoked_at IS NULL AND expires_at > \(now.milliseconds)"),
                latest: try latestChange(schema: schema))
        } catch let error as SQLiteError where !error.isBusy {
            throw DatabaseFault("the file is damaged, or no database: \(error.description)")
        } catch let error as Migrator.Fault {
            throw DatabaseFault(error.description)
        }
    }

    /// The first things that are wrong.
    private func damage() throws(SQLiteError) -> String? {
        let found = try all("PRAGMA integrity_check(3)") { $0.text(0) }.filter { $0 != "ok" }
        if let first = found.first { return first }
        return try first("SELECT \"table\" FROM pragma_foreign_key_check") { row in
            "a row of \(row.text(0)) belongs to another that is not there"
        }
    }

    /// The user and the session who came last, by the code that looks at every refresh.
    func readAsServer() throws {
        if let id = try first("SELECT id FROM users ORDER BY id DESC", read: { UserID($0.text(0)) }) {
            guard try user(id) != nil else { throw DatabaseFault("a user cannot be found by their id") }
        }
        if let id = try first("SELECT id FROM refresh_tokens ORDER BY id DESC", read: { SessionID($0.text(0)) }) {
            guard try session(id) != nil else { throw DatabaseFault("a session cannot be found by its id") }
        }
    }

    private func count(_ rows: String) throws(SQLiteError) -> Int64 {
        try first("SELECT count(*) FROM \(rows)") { $0.integer(0) } ?? 0
    }

    private func latestChange(schema: Int) throws(SQLiteError) -> Timestamp? {
        // Databases of the first schema have no audit trail.
        let moments =
            ["SELECT max(updated_at) AS moment FROM users", "SELECT max(updated_at) FROM refresh_tokens"]
            + (schema > 1 ? ["SELECT max(moment) FROM audit_events"] : [])
        return try first("SELECT max(moment) FROM (\(moments.joined(separator: " UNION ALL ")))") { row in
            row.optionalInteger(0).map(Timestamp.init(milliseconds:))
        } ?? nil
    }
}
