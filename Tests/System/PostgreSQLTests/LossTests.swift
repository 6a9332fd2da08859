import Glibc
import POSIX
import PostgreSQL
import SQL
import TestSupport
import Testing

/// These disturb a server of their own: after a session was killed PostgreSQL ends all others.
@Suite("PostgreSQL: lost connections", .serialized)
struct LossTests {
    private static let server = Result { try TemporaryPostgreSQL() }

    /// A commit takes so long that the test can end the session within it.
    private static let slowCommit = """
        CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION wait()
        """

    enum End: Sendable, CaseIterable {
        case killed
        case terminated
    }

    /// Ends the session once it waits in `pg_sleep`.
    private func end(_ connection: Connection, _ end: End, _ fixture: Fixture) throws -> Background {
        let backend = try #require(try connection.integer("SELECT pg_backend_pid()"))
        let server = fixture.server
        return Background {
            let isWaiting = "SELECT count(*) FROM pg_stat_activity WHERE pid = \(backend) AND wait_event = 'PgSleep'"
            _ = Eventually.holds { (try? server.execute(isWaiting)) == "1" }
            let starts = Self.starts(of: server)
            switch end {
            case .killed:
                kill(pid_t(backend), SIGKILL)
                // The server ends all sessions, and starts again.
                _ = Eventually.holds(within: 60) { Self.starts(of: server) > starts }
            case .terminated: _ = try? server.execute("SELECT pg_terminate_backend(\(backend))")
            }
            return []
        }
    }

    private static func starts(of server: TemporaryPostgreSQL) -> Int {
        server.log.split(separator: "\n").count { $0.contains("is ready to accept connections") }
    }

    private func connect() throws -> (Fixture, Connection) {
        let fixture = try Fixture(Self.server.get())
        let patient = ConnectionOptions(statementTimeout: .seconds(60))
        return (fixture, try fixture.connectWithTable(patient))
    }

    @Test("A session that ends during a statement of a transaction has committed nothing", arguments: End.allCases)
    func duringStatement(end: End) throws {
        let (fixture, connection) = try connect()
        let ending = try self.end(connection, end, fixture)
        try connection.begin()
        let error = failure { try connection.run("SELECT pg_sleep(60)") }
        _ = ending.result()
        #expect(error?.isConnectionLost == true)
        #expect(error?.isOutcomeUnknown == false)
        #expect(error?.sqlState == (end == .killed ? "" : "57P01"))
        #expect(!connection.isUsable)
        #expect(!connection.isInTransaction)
    }

    @Test("A session that ends during the commit leaves the outcome open", arguments: End.allCases)
    func duringCommit(end: End) throws {
        let (fixture, connection) = try connect()
        try connection.execute(script: Self.slowCommit)
        let ending = try self.end(connection, end, fixture)
        try connection.begin()
        try connection.send("INSERT INTO things VALUES (1, 'one')")
        let error = failure { try connection.commit() }
        _ = ending.result()
        #expect(error?.isConnectionLost == true)
        #expect(error?.isOutcomeUnknown == true)
    }

    @Test("A session that ends between the answer to the commit and the end of the pipeline has committed")
    func afterCommit() throws {
        let (fixture, connection) = try connect()
        // A commit removes the files of tables last: others see its rows by then, and a signal waits for its end.
        try connection.execute(
            script: """
                CREATE SCHEMA many;
                DO $$ BEGIN FOR i IN 1..1000 LOOP EXECUTE 'CREATE TABLE many.t' || i || ' (id INT)'; END LOOP; END $$
                """)
        let backend = try #require(try connection.integer("SELECT pg_backend_pid()"))
        let loop = "DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM things) LOOP END LOOP;"
        let ending = Background {
            let end = loop + " PERFORM pg_terminate_backend(\(backend)); END $$"
            try? fixture.connect().execute(script: end, timeout: .seconds(60))
            return []
        }
        let isWatched = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE ?"
        #expect(try Eventually.holds { try connection.integer(isWatched, .text(loop + "%")) == 1 })
        try connection.begin()
        try connection.send("INSERT INTO things VALUES (1, 'one')")
        try connection.send("DROP SCHEMA many CASCADE")
        #expect(failure { try connection.commit() } == nil)
        _ = ending.result()
        #expect(!connection.isInTransaction)
        #expect(failure { try connection.run("SELECT 1") }?.isConnectionLost == true)
        #expect(try fixture.connect().integer("SELECT count(*) FROM things") == 1)
    }

    @Test("A session that ends before the commit leaves the outcome unknown, unless the server reports an error")
    func beforeCommit() throws {
        for end in End.allCases {
            let (fixture, connection) = try connect()
            let ending = try self.end(connection, end, fixture)
            try connection.begin()
            try connection.send("SELECT pg_sleep(60)")
            let error = failure { try connection.commit() }
            _ = ending.result()
            #expect(error?.isConnectionLost == true)
            #expect(error?.isOutcomeUnknown == (end == .killed))
        }
    }

    @Test("A statement outside of a transaction may have been committed", arguments: End.allCases)
    func outsideOfTransaction(end: End) throws {
        let (fixture, connection) = try connect()
        try connection.execute(script: Self.slowCommit)
        let ending = try self.end(connection, end, fixture)
        let error = failure { try connection.run("INSERT INTO things VALUES (1, 'one')") }
        _ = ending.result()
        #expect(error?.isConnectionLost == true)
        #expect(error?.isOutcomeUnknown == true)
    }

    @Test("Waiting for notifications ends with the session")
    func duringWait() throws {
        let (fixture, connection) = try connect()
        try connection.listen(to: "news")
        let backend = try #require(try connection.integer("SELECT pg_backend_pid()"))
        try fixture.server.execute("SELECT pg_terminate_backend(\(backend))")
        let error = failure { _ = try connection.waitForNotifications(until: .now + .seconds(60)) }
        #expect(error?.isConnectionLost == true)
        #expect(!connection.isUsable)
    }
}
