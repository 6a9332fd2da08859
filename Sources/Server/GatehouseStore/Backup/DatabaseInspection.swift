import FileSystem
package import Gatehouse
import POSIX
import SQL
import SQLite

/// The contents of a verified database, in numbers.
package struct DatabaseSummary: Sendable, Equatable {
    package let schema: Int
    /// Not counting deleted users.
    package let users: Int64
    /// Active sessions.
    package let sessions: Int64
    /// The time of the latest change; nil if there was none.
    package let latest: Timestamp?
}

/// The reason why a file cannot be used as a database of Gatehouse.
package struct DatabaseFault: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Connection {
    /// Verifies a database: all pages and indexes, foreign keys and the schema. If the schema is current, also reads
    /// rows in the same way as the server. Throws a `DatabaseFault` if a check fails.
    func inspect(at now: Timestamp) throws -> DatabaseSummary {
        do {
            let schema = try SQLiteMigrator(self).ownVersion()
            guard schema > 0 else { throw DatabaseFault("the file is empty") }
            if let damage = try damage() { throw DatabaseFault("the file is damaged: \(damage)") }
            if schema == SQLiteMigrator.latest { try readAsServer() }
            return DatabaseSummary(
                schema: schema, users: try count("users WHERE status <> 'DELETED'"),
                sessions: try count("refresh_tokens WHERE revoked_at IS NULL AND expires_at > \(now.milliseconds)"),
                latest: try latestChange(schema: schema))
        } catch let error as SQLiteError where !error.isBusy {
            throw DatabaseFault("the file is damaged or not a database: \(error.description)")
        } catch let error as SchemaFault {
            throw DatabaseFault(error.description)
        }
    }

    /// The first damage that the integrity check or the foreign key check finds.
    private func damage() throws(SQLiteError) -> String? {
        let found = try all("PRAGMA integrity_check(3)") { $0.text(0) }.filter { $0 != "ok" }
        if let first = found.first { return first }
        return try first("SELECT \"table\" FROM pragma_foreign_key_check") { row in
            "a row of \(row.text(0)) refers to a row that does not exist"
        }
    }

    /// Reads the latest user and the latest session in the same way as a refresh.
    func readAsServer() throws {
        if let id = try first("SELECT id FROM users ORDER BY id DESC", read: { UserID($0.text(0)) }) {
            guard try user(id) != nil else { throw DatabaseFault("a user cannot be found by its id") }
        }
        if let id = try first("SELECT id FROM refresh_tokens ORDER BY id DESC", read: { SessionID($0.text(0)) }) {
            guard try session(id) != nil else { throw DatabaseFault("a session cannot be found by its id") }
        }
    }

    /// - Parameter rows: the part of a query after FROM.
    func count(_ rows: String) throws(SQLiteError) -> Int64 {
        try first("SELECT count(*) FROM \(rows)") { $0.integer(0) } ?? 0
    }

    private func latestChange(schema: Int) throws(SQLiteError) -> Timestamp? {
        // Schema 1 has no audit events.
        let moments =
            ["SELECT max(updated_at) AS moment FROM users", "SELECT max(updated_at) FROM refresh_tokens"]
            + (schema > 1 ? ["SELECT max(moment) FROM audit_events"] : [])
        return try first("SELECT max(moment) FROM (\(moments.joined(separator: " UNION ALL ")))") { row in
            row.optionalInteger(0).map(Timestamp.init(milliseconds:))
        } ?? nil
    }
}
