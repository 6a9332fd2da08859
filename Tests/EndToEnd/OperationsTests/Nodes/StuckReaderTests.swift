import Foundation
import JSON
import SQL
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// Faults that keep a node from reading the log of revocations in the usual way. Notifications would only make it sooner.
@Suite("A node whose reader of revocations is stuck")
struct StuckReaderTests {
    /// The last statement of a reader's own connection.
    private static let readers = """
        SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%pg_snapshot_xmin%'
        """

    /// The server processes of the two nodes' readers.
    private func readers(of nodes: TwoNodes) throws -> [pid_t] {
        let other = try nodes.database.connection()
        var found: [pid_t] = []
        let areBoth = Eventually.holds {
            found = (try? other.all(Self.readers) { pid_t($0.integer(0)) }) ?? []
            return found.count == 2
        }
        #expect(areBoth)
        return found
    }

    private func exist(_ processes: [pid_t], at nodes: TwoNodes) throws -> Bool {
        let list = processes.map(String.init).joined(separator: ", ")
        return try nodes.database.number("SELECT count(*) FROM pg_stat_activity WHERE pid IN (\(list))") > 0
    }

    /// Ends a session by SQL, and waits until both nodes refuse its access token.
    private func delay(_ nodes: TwoNodes, disturbing disturb: () throws -> Void) throws -> Duration {
        let login = try nodes.first.devLogin("stuck@example.com")
        let query = "SELECT max(id) FROM refresh_tokens WHERE user_id = '\(login.userID)'"
        let session = try #require(try nodes.database.connection().first(query) { $0.text(0) })
        for node in [nodes.first, nodes.second] { #expect(try node.verify(login.accessToken).status == 204) }
        try disturb()
        let other = try nodes.database.connection()
        let start = ContinuousClock.now
        try other.executeScript("UPDATE refresh_tokens SET revoked_at = 1 WHERE id = '\(session)'")
        for node in [nodes.first, nodes.second] {
            #expect(Eventually.holds { (try? node.verify(login.accessToken).code) == "session_revoked" })
        }
        return start.duration(to: .now)
    }

    private func expectTwoSeconds(
        _ nodes: TwoNodes, disturbing disturb: () throws -> Void, after end: () throws -> Void
    ) throws {
        try expectTime(below: .seconds(2)) {
            defer { try? end() }
            return try delay(nodes, disturbing: disturb)
        }
    }

    @Test("by a lock on the users: it refuses a session that another node ended within two seconds")
    func lock() throws {
        let nodes = try TwoNodes()
        try nodes.dropNotifications()
        let other = try nodes.database.connection()
        try expectTwoSeconds(nodes) {
            try other.executeScript("SET idle_in_transaction_session_timeout = 0; BEGIN; LOCK TABLE users")
        } after: {
            try other.executeScript("ROLLBACK")
        }
    }

    @Test("because the server process of its connection does not run: it refuses within two seconds")
    func frozen() throws {
        let server = try TemporaryPostgreSQL()
        let nodes = try TwoNodes(on: server)
        try nodes.dropNotifications()
        var stopped: [pid_t] = []
        try expectTwoSeconds(nodes) {
            stopped = try readers(of: nodes)
            for process in stopped { #expect(kill(process, SIGSTOP) == 0) }
        } after: {
            for process in stopped { kill(process, SIGCONT) }
        }
    }

    @Test("because its connection was ended and the server accepts no more: it refuses within two seconds, and works")
    func noConnection() throws {
        let server = try TemporaryPostgreSQL.shared.get()
        let nodes = try TwoNodes(on: server, user: "node\(UInt32.random(in: 0 ... .max))")
        try nodes.dropNotifications()
        // Opens the connections for refreshes, too.
        var login = try nodes.second.devLogin("goes-on@example.com")
        login = try nodes.second.refresh(login.refreshToken)
        let role = try #require(nodes.user)
        try expectTwoSeconds(nodes) {
            let ended = try readers(of: nodes)
            try nodes.database.execute("ALTER ROLE \(role) CONNECTION LIMIT 0")
            for process in ended { try nodes.database.execute("SELECT pg_terminate_backend(\(process))") }
            #expect(Eventually.holds { (try? exist(ended, at: nodes)) == false })
        } after: {
            #expect(try nodes.second.refresh(login.refreshToken).status == 200)
            try nodes.database.execute("ALTER ROLE \(role) CONNECTION LIMIT -1")
        }
    }
}

@Suite("Nodes that cannot read the log of revocations")
struct BlindNodeTests {
    private func isReady(_ node: ServerProcess) throws -> Bool? {
        let parts = try node.send(.get("/readyz"))["parts"]?.array?.compactMap(\.object) ?? []
        return parts.first { $0["name"] == "revocations" }?["ready"]?.bool
    }

    @Test("After 30 s they refuse guarded requests with 503 and say so, and recover by themselves")
    func refusal() async throws {
        let nodes = try TwoNodes()
        let both = [nodes.first, nodes.second]
        let login = try nodes.first.devLogin("blind@example.com")
        let start = ContinuousClock.now
        // Only the log: all other tables go on working.
        try nodes.first.change("ALTER TABLE revocations RENAME TO lost")
        for node in both {
            let isBlind = try await Eventually.becomesTrue(every: 0.2) {
                let status = try node.verify(login.accessToken).status
                let age = try #require(try node.ageOfRevocations())
                #expect(status == 204 || age > 29)
                return age > 28
            }
            #expect(isBlind)
        }
        for node in both {
            #expect(Eventually.holds { (try? node.verify(login.accessToken).status) == 503 })
            let refused = try node.me(login.accessToken)
            expectProblem(refused, 503, "storage_unavailable")
            #expect(refused.header("retry-after") != nil)
            #expect(try isReady(node) == false)
            #expect(try node.send(.get("/readyz")).status == 503)
            #expect(try node.ageOfRevocations().map { $0 > 30 } == true)
        }
        #expect(start.duration(to: .now) > .seconds(29))
        try nodes.first.change("ALTER TABLE lost RENAME TO revocations")
        for node in both {
            #expect(Eventually.holds { (try? node.verify(login.accessToken).status) == 204 })
            #expect(try isReady(node) == true)
            #expect(try node.ageOfRevocations().map { $0 < 30 } == true)
        }
    }
}
