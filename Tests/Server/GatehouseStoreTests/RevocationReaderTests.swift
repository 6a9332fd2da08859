import Foundation
import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

/// Always on a PostgreSQL server.
@Suite("The reader of revocations")
struct RevocationReaderTests {
    private static let others = "pid <> pg_backend_pid() AND datname = current_database()"
    private static let own = "query LIKE '%pg_snapshot_xmin%'"

    /// A database with an entry in its log, which the store has read once by its own connection.
    private func prepare(_ store: PostgreSQLStore) throws -> [Revocation] {
        let user = try store.signUp()
        _ = try store.revoke(SampleLogin.session("1", of: user).id, for: .logout, recording: SampleLogin.event())
        store.renewConnections()
        let found = try store.revocations(after: 0)
        #expect(found.count == 1)
        return found
    }

    @Test("borrows a connection while its own does not answer, and opens one beside its readings")
    func silent() throws {
        // One of its processes is stopped.
        let server = try TemporaryPostgreSQL()
        let database = TestDatabase(url: try server.database())
        let store = try PostgreSQLStore(PostgreSQLSettings(url: database.url))
        let entries = try prepare(store)
        let other = try database.connection()
        let processes = { (condition: String) in
            try other.all("SELECT pid FROM pg_stat_activity WHERE \(Self.others) AND \(condition)") { $0.integer(0) }
        }
        let reader = try #require(try processes(Self.own).first)
        let before = Set(try processes("true"))
        #expect(kill(pid_t(reader), SIGSTOP) == 0)
        defer { kill(pid_t(reader), SIGCONT) }
        #expect(try store.revocations(after: 0).map(\.subject) == entries.map(\.subject))
        #expect(try before.isSuperset(of: processes("true")))
        store.renewConnections()
        #expect(try processes("query ILIKE 'LISTEN%'").count == 1)
    }

    @Test(
        "waits for a busy connection if its own was lost and the server accepts no more",
        arguments: [true, false])
    func noConnection(isNoticed: Bool) throws {
        let server = try TemporaryPostgreSQL.shared.get()
        let database = TestDatabase(url: try server.database())
        let name = try server.execute("SELECT current_database()", in: database.url)
        let role = "reader\(UInt32.random(in: 0 ... .max))"
        try server.execute("CREATE ROLE \(role) LOGIN; ALTER DATABASE \(name) OWNER TO \(role)")
        let store = try PostgreSQLStore(PostgreSQLSettings(url: server.url(of: name, user: role), connections: 1))
        let entries = try prepare(store)
        try server.execute("ALTER ROLE \(role) CONNECTION LIMIT 0")
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(Self.others) AND \(Self.own)"
        let found = try store.write { _ in
            try server.execute(end, in: database.url)
            if isNoticed { store.waitForRevocations(atMost: .milliseconds(1)) }
            let reading = Background {
                let found = try? store.revocations(after: 0)
                return found?.map(\.subject) == entries.map(\.subject) ? [1] : []
            }
            // The connection of requests is free once the reader has failed to open its own.
            #expect(Eventually.holds { server.log.contains("too many connections for role \"\(role)\"") })
            return reading
        }
        #expect(found.result() == [1])
    }
}
