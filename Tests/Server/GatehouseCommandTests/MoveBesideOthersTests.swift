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
        #expect(outcome.status == 1, "\(outcome.errorOutput)")
        return outcome.errorOutput
    }

    /// Does something while a move into the target copies its rows, which wait for that.
    private func duringMove(_ body: () throws -> Void) throws -> Shell.Outcome {
        #expect(try fixture.run("migrate", on: target).status == 0)
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

    @Test("a node that has started meanwhile makes a move fail, and its database is as it was")
    func startedNode() throws {
        var node: HeldSession?
        let outcome = try duringMove { node = try HeldSession(of: target, name: "gatehouse", "SELECT 1") }
        #expect(outcome.status == 1, "\(outcome.errorOutput)")
        let reason = "use the target (1 connections): stop them first"
        #expect(outcome.errorOutput.contains(reason), "\(outcome.errorOutput)")
        #expect(try server.execute("SELECT count(*) FROM users", in: target) == "0")
        #expect(try server.execute("SELECT to_regclass('gatehouse_move') IS NULL", in: target) == "t")
        node?.end()
    }

    @Test("while the rows are copied, a command does not use the target")
    func mark() throws {
        let moved = try duringMove {
            let outcome = try fixture.run("users", "list", on: target)
            #expect(outcome.status == 3)
            let reason = "a move into the database was not finished"
            #expect(outcome.errorOutput.contains(reason), "\(outcome.errorOutput)")
        }
        #expect(moved.status == 0, "\(moved.errorOutput)")
        #expect(try fixture.run("users", "list", on: target).status == 0)
    }

    @Test("a source on a server that a node goes on using is refused", arguments: ["gatehouse", "another name"])
    func usedSource(name: String) throws {
        #expect(try fixture.run("migrate", on: target).status == 0)
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
        #expect(try fixture.run("migrate", on: target).status == 0)
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
        #expect(try fixture.run("migrate", on: target).status == 0)
        try server.execute("UPDATE gatehouse_schema SET version = version - 1", in: target)
        let text = try refusal(from: target, to: "sqlite:" + fixture.folder.file("copy.db"))
        #expect(text.contains("run gatehouse migrate with the version of Gatehouse that fits"), "\(text)")
    }
}
