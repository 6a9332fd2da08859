import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("A server process with a wrong clock")
struct WrongClockProcessTests {
    private static let day: Int64 = 86_400

    private func rows(_ server: ServerProcess) throws -> [Int64] {
        try ["refresh_tokens", "revocations", "redemptions", "audit_events"].map(server.count)
    }

    private func fill(_ server: ServerProcess) throws -> [Int64] {
        #expect(try server.send(.post("/api/auth/apple", server.apple.login("s"))).status == 200)
        let ended = try server.devLogin("ended@example.com")
        #expect(try server.send(.post("/api/auth/logout", bearer: ended.accessToken)).status == 204)
        let rows = try rows(server)
        #expect(rows.allSatisfy { $0 > 0 }, "\(rows)")
        return rows
    }

    private func metric(_ name: String, of server: ServerProcess) -> Double? {
        guard let body = try? server.send(.get("/metrics")).body else { return nil }
        let line = String(decoding: body, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Double($0.split(separator: " ")[1]) }
    }

    /// Whether a whole round of maintenance has compared the clocks since the call.
    private func agrees(_ expected: Bool, _ server: ServerProcess) -> Bool {
        Eventually.holds { metric("gatehouse_clock_agrees", of: server) == (expected ? 1 : 0) }
    }

    @Test("It deletes nothing while it runs and after a restart, answers requests, and goes on once it is right")
    func alone() throws {
        let clock = try WrongClock()
        let server = try ServerProcess { clock.apply(to: &$0) }
        let before = try fill(server)
        for days in [91, -1] as [Int64] {
            try clock.set(aheadBy: days * Self.day)
            #expect(agrees(false, server))
            #expect(try server.devLogin("ended@example.com").status == 200)
            server.process.stop()
            try server.restart()
            #expect(agrees(false, server))
            #expect(try server.devLogin("ended@example.com").status == 200)
            let after = try rows(server)
            #expect(zip(before, after).allSatisfy { $0 <= $1 }, "\(days) d: \(before) \(after)")
            // A new process is ready once it has fetched Apple's keys.
            #expect(Eventually.holds { (try? server.send(.get("/readyz")).status) == 200 })
        }
        #expect(server.process.log.contains(#""event":"clock""#))
        try clock.set(aheadBy: 0)
        #expect(agrees(true, server))
        try server.change("UPDATE refresh_tokens SET expires_at = 1")
        #expect(Eventually.holds { (try? server.count("refresh_tokens")) == 0 })
    }

    @Test("Of three nodes, one that is a day apart is not ready, and deletes nothing")
    func apart() throws {
        let nodes = try TwoNodes()
        let before = try fill(nodes.first)
        let clock = try WrongClock()
        for days in [1, -31] as [Int64] {
            try clock.set(aheadBy: days * Self.day)
            let wrong = try ServerProcess(beside: nodes.first) { clock.apply(to: &$0) }
            #expect(Eventually.holds(within: 60) { (try? wrong.send(.get("/readyz")).status) == 503 })
            let part = try wrong.send(.get("/readyz"))["parts"]?.array?.compactMap(\.object).first {
                $0["name"] == "clock"
            }
            #expect(part?["ready"] == false)
            #expect(part?["detail"]?.string?.contains("this machine's is wrong") == true)
            #expect(try wrong.devLogin("ended@example.com").status == 200)
            for node in [nodes.first, nodes.second] {
                #expect(Eventually.holds { (try? node.send(.get("/readyz")).status) == 200 })
                #expect(metric("gatehouse_clock_agrees", of: node) == 1)
            }
            let after = try rows(nodes.first)
            #expect(zip(before, after).allSatisfy { $0 <= $1 }, "\(days) d: \(before) \(after)")
            try clock.set(aheadBy: 0)
            #expect(Eventually.holds(within: 60) { (try? wrong.send(.get("/readyz")).status) == 200 })
        }
    }
}
