import POSIX
import PostgreSQL
import SQL
import TestSupport
import Testing

@testable import GatehouseStore

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
