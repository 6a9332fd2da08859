import Foundation
import SQL
import StoreSupport
import TestSupport
import Testing

/// Always on a PostgreSQL server.
@Suite("The time that a request may wait for the database")
struct RequestTimeTests {
    private static let clients = 64

    @Test(
        "counts from the arrival of the request, whatever it waits for, and however many wait",
        arguments: ["refresh_tokens", "users"])
    func total(table: String) throws {
        let nodes = try TwoNodes { $0["DATABASE_TIMEOUT"] = "3s" }
        let node = nodes.first
        let logins = try (0..<Self.clients).map { try node.devLogin("waits-\($0)@example.com") }
        let other = try nodes.database.connection()
        try other.executeScript("SET idle_in_transaction_session_timeout = 0; BEGIN; LOCK TABLE \(table)")
        let answers = try Concurrently.run(Self.clients) { index in
            let start = ContinuousClock.now
            let login = logins[index]
            let response =
                switch index % 4 {
                case 0: try node.devLogin("new-\(index)@example.com")
                case 1: try node.me(login.accessToken)
                default: try node.refresh(login.refreshToken)
                }
            return (status: response.status, time: start.duration(to: .now))
        }
        try other.executeScript("ROLLBACK")
        let slowest = try #require(answers.map(\.time).max())
        #expect(slowest < .milliseconds(4500), "\(slowest)")
        #expect(answers.allSatisfy { $0.status == 503 || $0.status == 200 })
        #expect(answers.contains { $0.status == 503 })
        // No session was lost.
        for login in logins { #expect(try node.refresh(login.refreshToken).status == 200) }
    }
}
