import Foundation
import Synchronization
import TestSupport
import Testing

/// Other sessions use one of the two databases of a move.
@Suite("A move beside other sessions")
struct MoveBesideOthersTests {
    private let fixture: MoveFixture
    private var server: TemporaryPostgreSQL { fixture.server }
    private var target: String { fixture.target }

    init() throws {
        fixture = try MoveFixture()
    }

    private func refusal(from source: String, to target: String) throws -> String {
        let outcome = try fixture.move(from: source, to: target)
        outcome.expect(1)
        return outcome.errorOutput
    }

    /// Does something while a move into the target copies its rows, which wait for that.
    private func duringMove(_ body: () throws -> Void) throws -> Shell.Outcome {
        try fixture.run("migrate", on: target).expect(0)
        try server.execute(
            """
            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0
                AS 'BEGIN PERFORM pg_advisory_lock_shared(1); RETURN NEW; END';
            CREATE TRIGGER waits BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION wait();
            """, in: target)
        let holder = try HeldSession(of: target, name: "test", "SELECT pg_advisory_lock(1)")
        let outcome = Mutex<Shell.Outcome?>(nil)
        let moving = Background { [fixture] in
            let found = try? fixture.move(from: fixture.source, to: fixture.target)
            outcome.withLock { $0 = found }
            return []
        }
        let isWaiting = """
            SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
            WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()
            """
        #expect(try Eventually.holds { try server.execute(isWaiting, in: target) == "1" })
        let result = Result { try body() }
        holder.end()
        _ = moving.result()
        try result.get()
        return try #require(outcome.withLock { $0 })
    }

    @Test("a node that has started meanwhile makes a move fail; no command uses the target, which is as it was")
    func startedNode() throws {
        var node: HeldSession?
        let outcome = try duringMove {
            node = try HeldSession(of: target, name: "gatehouse", "SELECT 1")
            try fixture.run("users", "list", on: target).expect(3, saying: "a move into the database was not finished")
        }
        outcome.expect(1)
        let reason = "use the target (1 connections): stop them first"
        #expect(outcome.errorOutput.contains(reason), "\(outcome.errorOutput)")
        #expect(try server.execute("SELECT count(*) FROM users", in: target) == "0")
        #expect(try server.execute("SELECT to_regclass('gatehouse_move') IS NULL", in: target) == "t")
        node?.end()
    }

    @Test("a source on a server that a node goes on using is refused", arguments: ["gatehouse", "another name"])
    func usedSource(name: String) throws {
        try fixture.run("migrate", on: target).expect(0)
        let node = try HeldSession(of: target, name: name, "SELECT 1")
        // The nodes have the name in their URL, and so has the move.
        let url = name == "gatehouse" ? target : target + "&application_name=another%20name"
        let text = try refusal(from: url, to: "sqlite:" + fixture.folder.file("copy.db"))
        #expect(text.contains("use the source (1 connections): stop them first"), "\(text)")
        node.end()
    }

    @Test("a second move into the same target is refused")
    func secondMove() throws {
        // Only the lock belongs to a move.
        let first = try HeldSession(
            of: target, name: "test",
            "SELECT pg_advisory_lock(x'6761746565'::bit(40)::bigint << 24 | x'6D6F7665'::bit(32)::bigint)")
        let text = try refusal(from: fixture.source, to: target)
        #expect(text.contains("another gatehouse move into the target is running"), "\(text)")
        first.end()
    }

    @Test("a pooler is refused, in front of the source and of the target")
    func pooler() throws {
        let needed = "gatehouse move needs a connection without a pooler: name the server itself"
        let pooler = try PgBouncer(before: target, on: server)
        #expect(try refusal(from: fixture.source, to: pooler.url).contains(needed))
        try fixture.run("migrate", on: target).expect(0)
        #expect(
            try refusal(from: pooler.url, to: "sqlite:" + fixture.folder.file("copy.db")).contains(needed))
    }

    @Test("a target with another encoding than UTF-8 is refused")
    func encoding() throws {
        let name = try server.execute("SELECT current_database()", in: target) + "ascii"
        try server.execute("CREATE DATABASE \(name) ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
        let text = try refusal(from: fixture.source, to: server.url(of: name))
        #expect(
            text.contains("the encoding of the target is SQL_ASCII: create the database with UTF8"), "\(text)")
    }

    @Test("a source with an older schema is refused")
    func olderSource() throws {
        try fixture.run("migrate", on: target).expect(0)
        try server.execute("UPDATE gatehouse_schema SET version = version - 1", in: target)
        let text = try refusal(from: target, to: "sqlite:" + fixture.folder.file("copy.db"))
        #expect(text.contains("run gatehouse migrate with the version of Gatehouse that fits"), "\(text)")
    }
}

/// What an operator reads who uses a database into which a move was not finished, and that the advice is right.
@Suite("An unfinished move")
struct UnfinishedMoveTests {
    private let fixture: MoveFixture
    /// The URL of the target of a move from the fixture's file.
    private var target: String { fixture.target }
    private let copy: String
    private let draft: String

    init() throws {
        fixture = try MoveFixture()
        copy = fixture.folder.file("copy.db")
        draft = copy + "-moving"
        try mark(source: fixture.source)
        try Data("unfinished".utf8).write(to: URL(fileURLWithPath: draft))
    }

    private func mark(source: String) throws {
        try fixture.server.execute(
            "DROP TABLE IF EXISTS gatehouse_move; CREATE TABLE gatehouse_move (source TEXT NOT NULL); "
                + "INSERT INTO gatehouse_move VALUES ('\(source)')", in: target)
    }

    private func output(of words: [String], on database: String) throws -> (status: Int32, text: String) {
        let outcome = try Shell.outcome(
            of: ["/usr/bin/timeout", "60", Executable.gatehouse] + words,
            environment: [
                "DATABASE_URL": database, "LISTEN": "unix:" + fixture.folder.file("g.sock"),
                "JWT_ACCESS_SECRET": "an access secret of more than thirty-two bytes",
                "JWT_REFRESH_SECRET": "a refresh secret of more than thirty-two bytes",
                "APPLE_BUNDLE_ID": "com.example.app", "PATH": "/usr/bin:/bin",
            ])
        return (outcome.status, outcome.text + outcome.errorOutput)
    }

    @Test(
        "into PostgreSQL: each command names the move that finishes it",
        arguments: [["serve"], ["migrate"], ["users", "list"], ["move"]])
    func server(words: [String]) throws {
        let other = words == ["move"] ? ["--to", "sqlite:" + fixture.folder.file("other.db")] : []
        let (status, text) = try output(of: words + other, on: target)
        #expect(status == (words[0] == "move" ? 1 : 3), "\(text)")
        #expect(
            text.contains(
                "a move into the database was not finished: run gatehouse move --from \(fixture.source) again, "
                    + "with this database as --to, or drop the table gatehouse_move to give it up"), "\(text)")
        #expect(try output(of: ["move", "--from", fixture.source, "--to", target], on: "sqlite:none.db").status == 0)
        #expect(try output(of: ["users", "list"], on: target).status == 0)
    }

    @Test("into SQLite: each command names the move that finishes it")
    func file() throws {
        let backup = fixture.folder.file("backup.db")
        #expect(try output(of: ["backup", backup], on: fixture.source).status == 0)
        let commands = [["serve"], ["migrate"], ["users", "list"], ["backup", backup + "2"], ["restore", backup]]
        for words in commands {
            let (status, text) = try output(of: words, on: "sqlite:" + copy)
            #expect(status == (words[0] == "restore" ? 1 : 3), "\(words): \(text)")
            #expect(
                text.contains(
                    "a move into the database was not finished: run gatehouse move --to sqlite:\(copy) again, "
                        + "or remove \(draft) to give it up"), "\(words): \(text)")
        }
        try FileManager.default.removeItem(atPath: draft)
        #expect(try output(of: ["restore", backup], on: "sqlite:" + copy).status == 0)
    }

    @Test("is a fault in the report of gatehouse check")
    func check() throws {
        let onServer = try output(of: ["check"], on: target).text
        #expect(
            onServer.contains("FAULT  schema               a move into the database was not finished"), "\(onServer)")
        #expect(onServer.contains("run gatehouse move --from \(fixture.source) again"))
        let onFile = try output(of: ["check"], on: "sqlite:" + copy).text
        #expect(onFile.contains("FAULT  database             a move into the database was not finished"), "\(onFile)")
        #expect(onFile.contains("rm \(draft)*"))
    }

    @Test("from another source is not continued, unless it was given up")
    func otherSource() throws {
        try mark(source: "sqlite:/elsewhere/old.db")
        let (status, text) = try output(of: ["move", "--to", target], on: fixture.source)
        #expect(status == 1)
        #expect(
            text.contains(
                "the target has an unfinished move from sqlite:/elsewhere/old.db, and this one is from \(fixture.source): "
                    + "name the first source with --from, or drop the table gatehouse_move of the target to give it up"),
            "\(text)")
        try fixture.server.execute("DROP TABLE gatehouse_move", in: target)
        #expect(try output(of: ["move", "--to", target], on: fixture.source).status == 0)
    }
}
