import GatehouseStore
import Glibc
import SQL
import SQLite
import TestSupport

/// A SQLite database with a row of every kind, and an empty database on a server.
struct MoveFixture {
    let folder: TemporaryFolder
    let server: TemporaryPostgreSQL
    /// The path of the SQLite database.
    let file: String
    var source: String { "sqlite:" + file }
    /// The URL of the other one.
    let target: String

    init() throws {
        folder = try TemporaryFolder()
        server = try TemporaryPostgreSQL.shared.get()
        file = folder.file("gatehouse.db")
        target = try server.database()
        _ = try SQLiteStore(path: file)
        try Connection(path: file, access: .readWrite).execute(script: Self.rows)
    }

    /// With and without optional values, of users in every state.
    private static let rows = """
        INSERT INTO users (id, email, email_verified, nickname, role, status, onboarding_completed, created_at, updated_at)
        VALUES ('user_1', 'a@example.com', 1, '名前 \\ \n\t\"', 'ADMIN', 'ACTIVE', 1, 1, 2),
            ('user_2', NULL, 0, NULL, 'USER', 'DELETED', 0, 3, 4), ('user_3', '', 0, '\\N', 'USER', 'DISABLED', 0, 5, 6);
        INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, email_verified, refresh_token, transfer_sub,
            created_at, updated_at)
        VALUES ('acct_1', 'user_1', 'APPLE', 's', NULL, x'00ff5c4e0a', 't', 1, 2);
        INSERT INTO passkeys (id, account_id, credential_id, public_key, algorithm, sign_count, transports, backup_eligible,
            backed_up, aaguid, name, created_at)
        VALUES ('passkey_1', 'acct_1', x'0100', x'a5', -7, 3, 'hybrid internal', 1, 0, x'', '名前', 1);
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

    func run(_ words: String..., on database: String, through wrapper: [String] = []) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["/usr/bin/timeout", "60"] + wrapper + [Executable.gatehouse] + words,
            environment: ["DATABASE_URL": database, "PATH": "/usr/bin:/bin"])
    }

    func move(from source: String, to target: String, through wrapper: [String] = []) throws -> Shell.Outcome {
        try run("move", "--to", target, on: source, through: wrapper)
    }

    /// All rows of a SQLite database as texts.
    func content(of path: String) throws -> [String] {
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
}

/// A session of psql that has executed SQL and stays open until it is ended.
final class HeldSession: Sendable {
    private let process: pid_t
    private let input: Int32

    /// - Parameter name: the `application_name`, by which other programs recognise Gatehouse.
    init(of database: String, name: String, _ sql: String) throws {
        let (input, output) = (try Spawn.pipe(), try Spawn.pipe())
        process = try Spawn.run(
            [
                "/usr/bin/env", "PGAPPNAME=" + name, TemporaryPostgreSQL.program("psql"), "-X", "-q", "-d", database,
                "-c", sql, "-c", "\\! echo done", "-f", "-",
            ], streams: (input.read, output.write, 2))
        close(input.read)
        close(output.write)
        self.input = input.write
        defer { close(output.read) }
        var (text, piece): (String, [UInt8]) = ("", Array(repeating: 0, count: 4096))
        while !text.contains("done\n") {
            let count = read(output.read, &piece, piece.count)
            guard count > 0 else { throw Spawn.Failure(description: "psql ended: \(text)") }
            text += String(decoding: piece[..<count], as: UTF8.self)
        }
    }

    /// Closes the session. Call it once.
    func end() {
        close(input)
        var raw: Int32 = 0
        waitpid(process, &raw, 0)
    }
}
