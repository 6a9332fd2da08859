import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("A server with a wrong clock")
struct WrongClockTests {
    private let server: InProcessServer
    private static let day: Int64 = 86_400
    /// A day, more than sessions live and the audit trail is kept, and the same for a clock that is behind.
    static let steps: [Int64] = [1, 91, -31].map { $0 * day }

    init() throws { server = try InProcessServer() }

    private static let tables = [
        "users", "refresh_tokens", "revocations", "redemptions", "audit_events", "apple_notifications", "apple_tasks",
    ]

    private func counts() throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for table in Self.tables {
            counts[table] = try server.testDatabase.number("SELECT count(*) FROM \(table)")
        }
        return counts
    }

    /// A row of each kind.
    private func fill() throws {
        let login = server.send(.post("/api/auth/apple", server.apple.login("s")))
        #expect(login.status == 200)
        let ended = try server.devLogin("ended@example.com")
        #expect(server.send(.post("/api/auth/logout", bearer: ended.accessToken)).status == 204)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try server.testDatabase.execute(
            """
            INSERT INTO apple_notifications (id, moment) VALUES ('n', \(now));
            INSERT INTO apple_tasks (kind, user_id, client_id, secret, attempts, due_at, expires_at)
            SELECT 'exchange', 'user_1', 'app', token_hash, 0, \(now), \(now + 300_000) FROM refresh_tokens LIMIT 1;
            """)
    }

    private func maintain() throws {
        for _ in 0..<3 { try server.runMaintenance() }
    }

    @Test(
        "It deletes nothing, neither while it runs nor after a restart, and goes on once it is right", arguments: steps)
    func nothingIsDeleted(_ step: Int64) throws {
        try fill()
        let before = try counts()
        #expect(before.values.allSatisfy { $0 > 0 }, "\(before)")
        server.setClock(aheadBy: .seconds(step))
        try maintain()
        #expect(try counts() == before)
        try server.restart()
        try maintain()
        #expect(try counts() == before)
        #expect(server.log.contains(#""event":"clock","fault":"the clock is "#), "\(server.log)")
        #expect(try metric("gatehouse_clock_agrees") == 0)
        #expect(try metric("gatehouse_clock_lead_seconds").map { abs($0 - Double(step)) < 5 } == true)
        server.setClock(aheadBy: .zero)
        try maintain()
        #expect(try metric("gatehouse_clock_agrees") == 1)
        server.advanceClock(by: .seconds(100 * Self.day))
        try maintain()
        let after = try counts()
        for table in Self.tables where table != "users" { #expect(after[table] == 0, "\(table)") }
    }

    private func metric(_ name: String) throws -> Double? {
        let lines = String(decoding: server.send(.get("/metrics")).body, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name + " ") }.flatMap { Double($0.split(separator: " ")[1]) }
    }

    @Test("Requests go on, and it is ready as long as no other node says that the database is right", arguments: steps)
    func requests(_ step: Int64) throws {
        server.setClock(aheadBy: .seconds(step))
        try server.runMaintenance()
        let login = try server.devLogin("wrong@example.com")
        #expect(try server.me(login.accessToken).status == 200)
        #expect(try server.refresh(login.refreshToken).status == 200)
        let readiness = server.send(.get("/readyz"))
        let part = readiness["parts"]?.array?.compactMap(\.object).first { $0["name"] == "clock" }
        #expect(part?["ready"] == true)
        #expect(part?["detail"]?.string?.contains("nothing expired is deleted") == true)
    }

    @Test("A client whose session is alive by the right clock is not signed out", arguments: steps)
    func notSignedOut(_ step: Int64) throws {
        let login = try server.devLogin("kept@example.com")
        var newest = try server.refresh(login.refreshToken)
        server.setClock(aheadBy: .seconds(step))
        let response = try server.refresh(newest.refreshToken)
        if step > 30 * Self.day {
            expectProblem(response, 503, "storage_unavailable")
            #expect(response.header("retry-after") != nil)
        } else {
            #expect(response.status == 200)
            newest = response
        }
        server.setClock(aheadBy: .zero)
        try maintain()
        #expect(try server.refresh(newest.refreshToken).status == 200)
    }

    @Test("A session that is opened by a clock that is behind does not end when the clock is corrected")
    func loginBehind() throws {
        for days in [1, 400] {
            server.setClock(aheadBy: .seconds(-Self.day * Int64(days)))
            let login = try server.devLogin("behind-\(days)@example.com")
            server.setClock(aheadBy: .zero)
            try maintain()
            let next = try server.refresh(login.refreshToken)
            #expect(next.status == 200)
            #expect(try server.me(next.accessToken).status == 200)
        }
    }

    @Test("With a clock that is ahead, a repeated refresh gets 503 and does not count as theft")
    func race() throws {
        let login = try server.devLogin("race@example.com")
        let next = try server.refresh(login.refreshToken)
        #expect(try server.me(next.accessToken).status == 200)
        server.setClock(aheadBy: .seconds(Self.day))
        expectProblem(try server.refresh(login.refreshToken), 503, "storage_unavailable")
        server.setClock(aheadBy: .zero)
        #expect(try server.refresh(next.refreshToken).status == 200)
    }

    @Test("Expiry by both clocks is final: an expired session, and a token that was used again")
    func certain() throws {
        let expired = try server.devLogin("expired@example.com")
        let login = try server.devLogin("reused@example.com")
        var newest = login
        for _ in 0..<2 {
            newest = try server.refresh(newest.refreshToken)
            server.advanceClock(by: .seconds(60))
            #expect(try server.me(newest.accessToken).status == 200)
            server.advanceClock(by: .seconds(60))
        }
        server.setClock(aheadBy: .seconds(Self.day))
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_reused")
        server.advanceClock(by: .seconds(40 * Self.day))
        #expect(try server.refresh(expired.refreshToken).code == "refresh_token_expired")
    }

    @Test("An ended session stays ended: it is forgotten by elapsed time, not by the clock")
    func revoked() throws {
        let login = try server.devLogin("dead@example.com")
        #expect(server.send(.post("/api/auth/logout", bearer: login.accessToken)).status == 204)
        server.setClock(aheadBy: .seconds(2 * Self.day))
        for number in 0..<300 {
            let other = try server.devLogin("other-\(number % 3)@example.com")
            _ = server.send(.post("/api/auth/logout", bearer: other.accessToken))
        }
        server.setClock(aheadBy: .zero)
        #expect(try server.me(login.accessToken).code == "session_revoked")
        try server.restart()
        #expect(try server.me(login.accessToken).code == "session_revoked")
    }

    @Test("An access token that it issued in the future is refused until then")
    func future() throws {
        server.setClock(aheadBy: .seconds(Self.day))
        try server.runMaintenance()
        let login = try server.devLogin("future@example.com")
        #expect(try server.me(login.accessToken).status == 200)
        server.setClock(aheadBy: .zero)
        #expect(try server.me(login.accessToken).code == "invalid_access_token")
        #expect(try server.me(try server.refresh(login.refreshToken).accessToken).status == 200)
    }
}
