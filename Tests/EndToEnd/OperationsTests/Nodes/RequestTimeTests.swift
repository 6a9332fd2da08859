import Foundation
import SQL
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

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
        var logins: [TestResponse] = []
        for number in 0..<Self.clients {
            let isLoggedIn = try Eventually.holds {
                let login = try node.devLogin("waits-\(number)@example.com")
                if login.status == 200 { logins.append(login) }
                return login.status == 200
            }
            #expect(isLoggedIn)
        }
        let other = try nodes.database.connection()
        try expectTime(below: .milliseconds(4500)) {
            try other.executeScript("SET idle_in_transaction_session_timeout = 0; BEGIN; LOCK TABLE \(table)")
            let answers = try ask(node, logins)
            try other.executeScript("ROLLBACK")
            #expect(answers.allSatisfy { $0.status == 503 || $0.status == 200 })
            #expect(answers.contains { $0.status == 503 })
            return try #require(answers.map(\.time).max())
        }
        // No session was lost.
        for login in logins {
            #expect(Eventually.holds { (try? node.refresh(login.refreshToken).status) == 200 })
        }
    }

    private func ask(_ node: ServerProcess, _ logins: [TestResponse]) throws -> [(status: Int, time: Duration)] {
        try Concurrently.run(Self.clients) { index in
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
    }
}
