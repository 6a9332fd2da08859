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
            (limit: Duration?.none, timeLeft: Duration?.none, othersStay: false),
            (nil, .seconds(60), false), (nil, .milliseconds(50), true), (.milliseconds(50), nil, true),
            (.milliseconds(50), .seconds(60), true),
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
