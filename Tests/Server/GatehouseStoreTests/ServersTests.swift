import POSIX
import PostgreSQL
import SQL
import TestSupport
import Testing

@testable import GatehouseStore

/// Always on a PostgreSQL server.
@Suite("A connection to PostgreSQL that does not answer")
struct ServersTests {
    /// The time limits of a request, and whether the other connections may be used afterwards.
    @Test(
        "is given up alone if the caller has no time left, and all with it if it had",
        arguments: [
            (limit: Duration?.none, timeLeft: Duration?.none, othersStay: false), (nil, .seconds(60), false),
            (nil, .milliseconds(50), true), (.milliseconds(50), nil, true), (.milliseconds(50), .seconds(60), true),
        ])
    func silence(limit: Duration?, timeLeft: Duration?, othersStay: Bool) throws {
        let url = try TemporaryPostgreSQL.shared.get().database()
        let servers = Servers(url: url, ConnectionOptions(answerTimeout: .milliseconds(300)))
        let (silent, other) = (try servers.connect(), try servers.connect())
        #expect(throws: PostgreSQLError.self) {
            try servers.use(silent, answeringWithin: limit, until: timeLeft.map { .now + $0 }) {
                try $0.run("SELECT pg_sleep(60)")
            }
        }
        #expect(!servers.isCurrent(silent))
        #expect(servers.isCurrent(other) == othersStay)
    }

    @Test("is opened anew with all others when the server has closed it")
    func loss() throws {
        let url = try TemporaryPostgreSQL.shared.get().database()
        let servers = Servers(url: url, ConnectionOptions())
        let (lost, other) = (try servers.connect(), try servers.connect())
        #expect(throws: PostgreSQLError.self) {
            try servers.use(lost) { try $0.run("SELECT pg_terminate_backend(pg_backend_pid())") }
        }
        #expect(!servers.isCurrent(other))
        #expect(try servers.use(servers.current(other)) { try $0.first("SELECT 1") { $0.integer(0) } } == 1)
    }
}

/// Always on a PostgreSQL server.
@Suite("The connection pool")
struct ConnectionPoolTests {
    private let pool: ConnectionPool

    init() throws {
        let url = try TemporaryPostgreSQL.shared.get().database()
        pool = ConnectionPool(Servers(url: url, ConnectionOptions()), limit: 1, timeout: .seconds(60))
    }

    private func use<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try pool.use(until: .now + .seconds(60), body)
    }

    private func process(_ connection: Connection) throws -> Int64? {
        try connection.first("SELECT pg_backend_pid()") { $0.integer(0) }
    }

    @Test("keeps no connection whose transaction is open")
    func openTransaction() throws {
        let first = try use { connection in
            try connection.begin()
            return try process(connection)
        }
        #expect(pool.statistics.open == 0)
        let second = try use { connection in
            #expect(!connection.isInTransaction)
            return try process(connection)
        }
        #expect(first != second)
        #expect(try use(process) == second)
    }

    @Test("keeps no connection that was lost")
    func lost() throws {
        #expect(throws: PostgreSQLError.self) {
            try use { try $0.run("SELECT pg_terminate_backend(pg_backend_pid())") }
        }
        #expect(pool.statistics.open == 0)
        #expect(try use(process) != nil)
    }
}

/// Always on a PostgreSQL server.
@Suite("Work that the store repeats")
struct RepeatedWorkTests {
    private static let conflict = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'serialization_failure'; END $$"
    private static let loss = "INSERT INTO things VALUES (1)"
    /// The session ends during the commit, so the outcome is unknown.
    private static let table = """
        CREATE TABLE things (id BIGINT);
        CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql
            AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(60); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER loses AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION lose()
        """

    @Test(
        "is run again after a conflict, and after a loss only if it may have been done before",
        arguments: [(conflict, false, 10), (conflict, true, 10), (loss, false, 1), (loss, true, 4)])
    func count(statement: String, isRepeatable: Bool, expected: Int) throws {
        let server = try TemporaryPostgreSQL.shared.get()
        let url = try server.database()
        let store = try PostgreSQLStore(PostgreSQLSettings(url: url, timeout: .seconds(60)))
        try server.execute(Self.table, in: url)
        var count = 0
        #expect(throws: (any Error).self) {
            try store.attempt(isRepeatable: isRepeatable) { end in
                count += 1
                try store.pool.use(until: end) { connection in _ = try connection.run(statement) }
            }
        }
        #expect(count == expected)
    }
}
