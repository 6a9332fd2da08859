import DevelopmentHTTP
import Foundation
import SQL
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Background work of several nodes")
struct NodeWorkTests {
    @Test("One node performs each request to Apple, even if Apple takes longer than the first backoff")
    func outbox() throws {
        let folder = try TemporaryFolder()
        let apple = try FakeAppleServer(in: folder)
        let nodes = try TwoNodes { AppleDeveloperFixture.configure(&$0, for: apple) }
        var delay = Fault<AppleFault>(.delay, path: "/auth/token", times: 1)
        // Longer than the first backoff, and much shorter than a request may take.
        delay.seconds = 2
        apple.service.addFault(delay)
        for number in 0..<20 {
            let login = try nodes[number].send(.post("/api/auth/apple", apple.login("\(number)")))
            #expect(login.status == 200)
        }
        #expect(Eventually.holds(within: 60) { (try? nodes.first.count("apple_tasks")) == 0 })
        let requests = apple.service.requests.filter { $0.path == "/auth/token" }
        #expect(requests.count == 20 && requests.allSatisfy { $0.error == nil })
        #expect(try nodes.first.count("auth_accounts WHERE refresh_token IS NOT NULL") == 20)
        let done = try [nodes.first, nodes.second].map { node in
            let metrics = String(decoding: try node.send(.get("/metrics")).body, as: UTF8.self)
            let count = metrics.firstMatch(of: /apple_tasks_total\{kind="exchange",result="done"\} (\d+)/)
            return try #require(Int(count?.output.1 ?? ""))
        }
        #expect(done.reduce(0, +) == 20 && done.allSatisfy { $0 > 0 }, "\(done)")
    }

    @Test("One node at a time removes expired sessions")
    func maintenance() throws {
        let nodes = try TwoNodes()
        _ = try nodes.first.devLogin("expired@example.com")
        let other = try nodes.database.connection()
        // "gatehous" in ASCII, as PostgreSQLStore has it.
        try other.executeScript("SELECT pg_advisory_lock(x'67617465686f7573'::bigint)")
        let columns = try other.all(
            """
            SELECT column_name::text FROM information_schema.columns
            WHERE table_name = 'refresh_tokens' AND column_name NOT IN ('id', 'expires_at')
            """
        ) { $0.text(0) }.joined(separator: ", ")
        try other.executeScript(
            """
            INSERT INTO refresh_tokens (id, expires_at, \(columns))
            SELECT 'expired_' || number, 1, \(columns) FROM refresh_tokens, generate_series(1, 2000) AS number
            """)
        // Each node tries every second.
        #expect(try !Eventually.holds(within: 3, every: 0.2) { try nodes.first.count("refresh_tokens") != 2001 })
        try other.executeScript("SELECT pg_advisory_unlock_all()")
        #expect(Eventually.holds { (try? nodes.first.count("refresh_tokens")) == 1 })
        for node in [nodes.first, nodes.second] { #expect(!node.process.log.contains(#""event":"storage""#)) }
    }
}
