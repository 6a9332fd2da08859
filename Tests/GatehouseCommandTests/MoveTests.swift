import Gatehouse
import GatehouseStore
import SQL
import SQLite
import StoreSupport
import TestSupport
import Testing

@Suite("gatehouse move")
struct MoveTests {
    private let folder: TemporaryFolder
    private let server: TemporaryPostgreSQL
    private let file: String
    private let target: String

    init() throws {
        folder = try TemporaryFolder()
        server = try TemporaryPostgreSQL.shared.get()
        file = folder.file("gatehouse.db")
        target = try server.database()
        _ = try SQLiteStore(path: file)
        try Connection(path: file, access: .readWrite).execute(script: Self.rows)
    }

    /// A row of every kind: with and without optional values, of users in every state.
    private static let rows = """
        INSERT INTO users (id, email, email_verified, nickname, role, status, onboarding_completed, created_at, updated_at)
        VALUES ('user_1', 'a@example.com', 1, '名前 \\ \n\t\"', 'ADMIN', 'ACTIVE', 1, 1, 2),
            ('user_2', NULL, 0, NULL, 'USER', 'DELETED', 0, 3, 4), ('user_3', '', 0, '\\N', 'USER', 'DISABLED', 0, 5, 6);
        INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, email_verified, refresh_token, transfer_sub,
            created_at, updated_at)
        VALUES ('acct_1', 'user_1', 'APPLE', 's', NULL, x'00ff5c4e0a', 't', 1, 2);
        INSERT INTO refresh_tokens (id, user_id, provider, client_id, token_hash, token_random, previous_hash, generation,
            rotated_at, expires_at, revoked_at, revoke_reason, created_at, updated_at)
        VALUES ('sess_1', 'user_1', 'APPLE', 'app', x'01', x'', x'02', 7, 1, 4000000000000, NULL, NULL, 1, 2),
            ('sess_2', 'user_1', 'APPLE', 'app', x'03', x'04', NULL, 1, 1, 4000000000000, 5, 'logout', 1, 2);
        INSERT INTO redemptions (id, hash, token_hash, moment, expires_at, closed) VALUES (9, x'05', x'06', 1, 2, 1);
        INSERT INTO apple_tasks (id, kind, user_id, client_id, secret, due_at) VALUES (12, 'revoke', 'user_2', 'a', x'07', 1);
        INSERT INTO apple_notifications (place, id, moment) VALUES (3, 'n', 1);
        INSERT INTO barred_identities (hash, user_id, moment) VALUES (x'08', 'user_3', 1);
        INSERT INTO revocations (place, moment, session_id) VALUES (40, 5, 'sess_2');
        INSERT INTO audit_events (id, moment, kind, actor, user_id, count) VALUES (77, 1, 'login', 'user', 'user_1', 3);
        INSERT INTO documents (name, content, updated_at) VALUES ('d', x'00', 1);
        """

    private func move(from source: String, to target: String) throws -> Outcome {
        try CommandLineOutcome.run(["move", "--to", target], database: source)
    }

    private typealias Outcome = CommandLineOutcome

    /// All rows of a database as texts.
    private func content(of path: String) throws -> [String] {
        let connection = try Connection(path: path, access: .readOnly)
        let tables = try connection.all(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
        ) { $0.text(0) }
        return try tables.flatMap { table in
            let columns = try connection.all("SELECT name FROM pragma_table_info('\(table)')") { $0.text(0) }
            let row = columns.map { "quote(\($0))" }.joined(separator: " || '|' || ")
            return try connection.all("SELECT \(row) FROM \(table) ORDER BY 1") { table + " " + $0.text(0) }
        }
    }

    @Test("a database that was moved to PostgreSQL and back has the same rows")
    func roundTrip() throws {
        let there = try move(from: "sqlite:" + file, to: target)
        #expect(there.status == 0, "\(there.errorOutput)")
        let copy = folder.file("copy.db")
        let back = try move(from: target, to: "sqlite:" + copy)
        #expect(back.status == 0, "\(back.errorOutput)")
        #expect(try content(of: copy) == content(of: file))
    }

    @Test("numbers continue after those of the source")
    func numbers() throws {
        #expect(try move(from: "sqlite:" + file, to: target).status == 0)
        let store = try PostgreSQLStore(PostgreSQLSettings(url: target, connections: 2))
        try store.record([AuditEvent(.login, at: Timestamp(seconds: 1))])
        #expect(try server.execute("SELECT max(id) FROM audit_events", in: target) == "78")
    }

    @Test("a target with users is refused, and so is a source that a server uses")
    func refused() throws {
        #expect(try move(from: "sqlite:" + file, to: target).status == 0)
        let again = try move(from: "sqlite:" + file, to: target)
        #expect(again.status == 1 && again.errorOutput.contains("nothing was moved"), "\(again.errorOutput)")
        let running = try SQLiteStore(path: file)
        let outcome = try move(from: "sqlite:" + file, to: try server.database())
        #expect(outcome.status == 1, "\(outcome.errorOutput)")
        withExtendedLifetime(running) {}
    }

    @Test("an unfinished move is refused by a server, and completed by another run")
    func unfinished() throws {
        #expect(try move(from: "sqlite:" + file, to: target).status == 0)
        let name = try server.execute("SELECT current_database()", in: target)
        #expect(!name.isEmpty)
        try server.execute(
            "CREATE TABLE gatehouse_move (source TEXT NOT NULL, definitions TEXT NOT NULL); "
                + "INSERT INTO gatehouse_move VALUES ('elsewhere', '')", in: target)
        #expect(throws: StoreFailure.self) { try PostgreSQLStore(PostgreSQLSettings(url: target)) }
        #expect(throws: StoreFailure.self) { try PostgreSQLStore(besideServersOf: PostgreSQLSettings(url: target)) }
        let outcome = try move(from: "sqlite:" + file, to: target)
        #expect(outcome.status == 1 && outcome.errorOutput.contains("elsewhere"))
    }

    @Test("wrong arguments exit 2", arguments: ["mysql://x", "sqlite:other.db", ""])
    func usage(target: String) throws {
        #expect(try move(from: "sqlite:" + file, to: target).status == 2)
    }
}

private struct CommandLineOutcome {
    let status: Int32
    let errorOutput: String

    static func run(_ words: [String], database: String) throws -> CommandLineOutcome {
        let outcome = try Shell.outcome(of: [Executable.gatehouse] + words, environment: ["DATABASE_URL": database])
        return CommandLineOutcome(status: outcome.status, errorOutput: outcome.errorOutput)
    }
}
