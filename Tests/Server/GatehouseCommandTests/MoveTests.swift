import Foundation
import Gatehouse
import GatehouseStore
import SQLite
import TestSupport
import Testing

@Suite("gatehouse move")
struct MoveTests {
    private let fixture: MoveFixture
    private var folder: TemporaryFolder { fixture.folder }
    private var server: TemporaryPostgreSQL { fixture.server }
    private var file: String { fixture.file }
    private var target: String { fixture.target }

    init() throws {
        fixture = try MoveFixture()
    }

    private func move(from source: String, to target: String) throws -> Shell.Outcome {
        try fixture.move(from: source, to: target)
    }

    @Test("a database that was moved to PostgreSQL and back has the same rows")
    func roundTrip() throws {
        try move(from: "sqlite:" + file, to: target).expect(0)
        let copy = folder.file("copy.db")
        try move(from: target, to: "sqlite:" + copy).expect(0)
        #expect(try fixture.content(of: copy) == fixture.content(of: file))
    }

    @Test(
        "root's password file is read also where the file belongs to another user",
        .enabled(if: geteuid() == 0, "only root gives up its rights"), arguments: ["PGPASSFILE", "HOME"])
    func passwordFile(variable: String) throws {
        let server = try TemporaryPostgreSQL(
            files: ["pg_hba.conf": "local all postgres trust\nlocal all all scram-sha-256\n"])
        try server.execute("CREATE ROLE owner LOGIN PASSWORD 'a:secret'")
        try server.execute("CREATE DATABASE gatehouse OWNER owner")
        let home = folder.file("home")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try "*:*:*:owner:a\\:secret\n".write(toFile: home + "/.pgpass", atomically: false, encoding: .utf8)
        chmod(home, 0o700)
        chmod(home + "/.pgpass", 0o600)
        chmod(folder.path, 0o755)
        let service = folder.file("service")
        try FileManager.default.createDirectory(atPath: service, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: file, toPath: service + "/gatehouse.db")
        for path in [service, service + "/gatehouse.db"] { chown(path, OwnerFixture.user, OwnerFixture.user) }
        let outcome = try Shell.outcome(
            of: [
                Executable.gatehouse, "move", "--from", "sqlite:" + service + "/gatehouse.db", "--to",
                server.url(of: "gatehouse", user: "owner"),
            ],
            environment: ["PATH": "/usr/bin:/bin", variable: variable == "HOME" ? home : home + "/.pgpass"])
        outcome.expect(0)
        #expect(try server.execute("SELECT count(*) FROM users", in: server.url(of: "gatehouse")) == "3")
    }

    @Test("numbers continue after the numbers of the source")
    func numbers() throws {
        try move(from: "sqlite:" + file, to: target).expect(0)
        let store = try PostgreSQLStore(PostgreSQLSettings(url: target, connections: 2))
        try store.record([AuditEntry(.login, at: Timestamp(seconds: 1))])
        #expect(try server.execute("SELECT max(id) FROM audit_events", in: target) == "78")
    }

    @Test("a target has the same indexes and constraints as a database that was not moved")
    func indexes() throws {
        let other = try server.database()
        try fixture.run("migrate", on: other).expect(0)
        try move(from: fixture.source, to: target).expect(0)
        let query = """
            SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
                SELECT indexdef AS line FROM pg_indexes WHERE schemaname = 'public'
                UNION ALL
                SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
                WHERE connamespace = 'public'::regnamespace) AS all_of_them
            """
        #expect(try server.execute(query, in: target) == server.execute(query, in: other))
    }

    @Test("a target with users is refused, and so is a source that a server uses")
    func refused() throws {
        try move(from: "sqlite:" + file, to: target).expect(0)
        try move(from: "sqlite:" + file, to: target).expect(1, saying: "nothing was moved")
        let running = try SQLiteStore(path: file)
        try move(from: "sqlite:" + file, to: try server.database()).expect(1)
        withExtendedLifetime(running) {}
    }

    @Test(
        "a row that PostgreSQL cannot store is named, and the target stays as it was",
        arguments: [
            (
                "UPDATE users SET nickname = CAST(x'610062' AS TEXT) WHERE id IN ('user_2', 'user_3')",
                "2 rows of the table users have", "(id user_2, user_3)"
            ),
            ("UPDATE users SET nickname = CAST(x'61ff' AS TEXT) WHERE id = 'user_3'", "table users", "(id user_3)"),
            (
                "PRAGMA foreign_keys = OFF; UPDATE refresh_tokens SET user_id = 'user_9' WHERE id = 'sess_2'",
                "PostgreSQL refuses the rows", "refresh_tokens_user_id_fkey"
            ),
        ])
    func unstorable(change: String, fault: String, name: String) throws {
        try Connection(path: file, access: .readWrite).execute(script: change)
        let outcome = try move(from: fixture.source, to: target)
        outcome.expect(1, saying: "nothing was moved")
        #expect(outcome.errorOutput.contains(fault) && outcome.errorOutput.contains(name), "\(outcome.errorOutput)")
        #expect(try server.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", in: target) == "0")
    }

    @Test(
        "a move that fails, or whose copy differs from the source, leaves the target as it was",
        arguments: [
            ("RAISE EXCEPTION ''full''", "the move was not finished"),
            ("NEW.nickname := ''other''; RETURN NEW", "the copy differs from the source in the table users"),
            ("RETURN NULL", "the copy is not complete: the table users has 2 of 3 rows"),
        ])
    func failure(action: String, fault: String) throws {
        try fixture.run("migrate", on: target).expect(0)
        // Refers to no other row.
        try server.execute(
            """
            CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN \(action); END';
            CREATE TRIGGER change BEFORE INSERT ON users FOR EACH ROW WHEN (NEW.id = 'user_3') EXECUTE FUNCTION change();
            """, in: target)
        let outcome = try move(from: fixture.source, to: target)
        #expect(outcome.status == 3 && outcome.errorOutput.contains(fault), "\(outcome.errorOutput)")
        try fixture.run("users", "list", on: target).expect(0)
        #expect(try server.execute("SELECT count(*) FROM users", in: target) == "0")
        try server.execute("DROP TRIGGER change ON users", in: target)
        try move(from: fixture.source, to: target).expect(0)
    }

    @Test("a killed move may hold its locks for a moment: the next one waits for them")
    func killedMove() throws {
        // The lock of a move, with the name of its sessions.
        let killed = try HeldSession(
            of: target, name: "gatehouse",
            "SELECT pg_advisory_lock(x'6761746565'::bit(40)::bigint << 24 | x'6D6F7665'::bit(32)::bigint)")
        let ending = Background { [server, target] in
            let isWaiting = """
                SELECT count(*) FROM pg_stat_activity
                WHERE query LIKE 'SELECT pg_try_advisory_lock%' AND datname = current_database()
                """
            _ = Eventually.holds { (try? server.execute(isWaiting, in: target)) == "1" }
            killed.end()
            return []
        }
        try move(from: fixture.source, to: target).expect(0)
        _ = ending.result()
    }

    @Test("while a database on a server is moved away, nothing in it can be changed")
    func lockedSource() throws {
        try fixture.run("migrate", on: target).expect(0)
        let delete = { [server, target] (table: String) in
            try server.execute("SET lock_timeout = '100ms'; DELETE FROM \(table)", in: target)
        }
        do {
            let source = try PostgreSQLMoveSource(url: target)
            for table in MovedTable.all {
                #expect(throws: (any Error).self, "\(table.name)") { try delete(table.name) }
            }
            withExtendedLifetime(source) {}
        }
        _ = try delete("audit_events")
    }

    @Test("wrong arguments exit 2", arguments: ["mysql://x", "sqlite:other.db", ""])
    func usage(target: String) throws {
        try move(from: "sqlite:" + file, to: target).expect(2)
    }

    @Test("the copied rows are counted on a terminal")
    func progress() throws {
        try fixture.run("migrate", on: target).expect(0)
        // The row waits until the line was shown.
        try server.execute(
            """
            CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0
                AS 'BEGIN PERFORM pg_advisory_lock_shared(1); RETURN NEW; END';
            CREATE TRIGGER slow BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION slow();
            """, in: target)
        let holder = try HeldSession(of: target, name: "test", "SELECT pg_advisory_lock(1)")
        let terminal = try PseudoTerminal()
        let process = try Spawn.run(
            ["/usr/bin/timeout", "--foreground", "60", Executable.gatehouse, "move", "--to", target],
            environment: ["DATABASE_URL": fixture.source], streams: (terminal.program, 2, terminal.program))
        let line = terminal.text(until: { $0.contains("copying the table audit_events: 1 of 1 rows (") })
        #expect(line.contains("\r\u{1B}[Kcopying the table audit_events: 1 of 1 rows ("), "\(line)")
        holder.end()
        var raw: Int32 = 0
        waitpid(process, &raw, 0)
        #expect(Spawn.status(of: raw) == 0)
    }
}
