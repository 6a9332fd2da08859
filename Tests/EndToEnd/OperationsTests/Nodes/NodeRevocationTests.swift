import Foundation
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Sessions that one node ends")
struct NodeRevocationTests {
    private func wait(until client: TokenClient, refuses token: String, with refusal: String) throws -> Duration {
        let start = ContinuousClock.now
        #expect(try Eventually.holds(every: 0.001) { try client.ask(.guarded, token) == refusal })
        return start.duration(to: .now)
    }

    @Test("Without notifications, the other node refuses them within two seconds, whatever ended them")
    func withoutNotifications() throws {
        let nodes = try TwoNodes()
        try nodes.dropNotifications()
        let (first, second) = (try TokenClient(nodes.first), try TokenClient(nodes.second))
        for action in RevocationAction.all {
            var attempt = 0
            try expectTime(below: .seconds(2), action.name) {
                attempt += 1
                let login = try first.logIn("\(action.name)-\(attempt)")
                #expect(try Eventually.holds { try second.accepts(login.accessToken, at: .guarded) }, "\(action.name)")
                try action.perform(first, login)
                let delay = try wait(until: second, refuses: login.accessToken, with: action.refusal)
                #expect(try second.ask(.api, login.accessToken) == action.refusal, "\(action.name)")
                // What a command has ended, each node learns by its own next look.
                #expect(
                    try Eventually.holds { try first.ask(.api, login.accessToken) == action.refusal }, "\(action.name)")
                return delay
            }
        }
    }

    @Test("With notifications, the other node refuses half of them within 100 ms")
    func notified() throws {
        let nodes = try TwoNodes()
        let (first, second) = (try TokenClient(nodes.first), try TokenClient(nodes.second))
        try expectTime(below: .milliseconds(100)) {
            let delays = try (0..<21).map { number in
                let login = try first.logIn("\(number)")
                #expect(try second.accepts(login.accessToken, at: .guarded))
                #expect(try first.send(.post("/api/auth/logout", bearer: login.accessToken)).status == 204)
                return try wait(until: second, refuses: login.accessToken, with: "401 session_revoked")
            }
            return delays.sorted()[delays.count / 2]
        }
    }

    @Test("A token that a node has issued since is accepted by one that still knows the user's former state")
    func issuedSince() async throws {
        let nodes = try TwoNodes()
        try nodes.dropNotifications()
        var pair = try nodes.first.devLogin("changed@example.com")
        let user = pair.userID
        for role in ["ADMIN", "USER", "SUPER_ADMIN", "USER", "ADMIN"] {
            try nodes.first.runCommand("users", "role", user, role)
            pair = try nodes.first.refresh(pair.refreshToken)
            let admitted = try nodes.second.verify(pair.accessToken)
            #expect(admitted.status == 204 && admitted.header("x-user-role") == role)
            // It knows this role from now on, and not yet the next one.
            let start = ContinuousClock.now
            #expect(
                try await Eventually.becomesTrue {
                    let since = start.duration(to: .now) / .seconds(1)
                    return try nodes.second.ageOfRevocations().map { $0 < since } == true
                })
        }
        for _ in 1...3 {
            try nodes.first.runCommand("users", "disable", user)
            #expect(Eventually.holds { (try? nodes.second.verify(pair.accessToken).code) == "user_disabled" })
            try nodes.first.runCommand("users", "enable", user)
            pair = try nodes.first.devLogin("changed@example.com")
            #expect(try nodes.second.verify(pair.accessToken).status == 204)
        }
    }
}
