import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@Suite("A server with a wrong clock")
struct WrongClockTests {
    private let installation: InProcessInstallation
    private static let day: Int64 = 86_400
    /// A day, more than sessions live, and more than the audit trail is kept.
    static let steps: [Int64] = [1, 31, 91, -1, -31, -91].map { $0 * day }

    init() throws { installation = try InProcessInstallation() }

    private static let tables = [
        "users", "refresh_tokens", "revocations", "redemptions", "audit_events", "apple_notifications", "apple_tasks",
    ]

    private func counts() throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for table in Self.tables {
            counts[table] = try installation.testDatabase.number("SELECT count(*) FROM \(table)")
        }
        return counts
    }

    /// A row of each kind.
    private func fill() throws {
        let login = installation.send(.post("/api/auth/apple", installation.apple.login("s")))
        #expect(login.status == 200)
        let ended = try installation.devLogin("ended@example.com")
        #expect(installation.send(.post("/api/auth/logout", bearer: ended.accessToken)).status == 204)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try installation.testDatabase.execute(
            """
            INSERT INTO apple_notifications (id, moment) VALUES ('n', \(now));
            INSERT INTO apple_tasks (kind, user_id, client_id, secret, attempts, due_at, expires_at)
            SELECT 'exchange', 'user_1', 'app', token_hash, 0, \(now), \(now + 300_000) FROM refresh_tokens LIMIT 1;
            """)
    }

    private func maintain() throws {
        for _ in 0..<3 { try installation.runMaintenance() }
    }

    @Test(
        "It deletes nothing, neither while it runs nor after a restart, and goes on once it is right", arguments: steps)
    func nothingIsDeleted(_ step: Int64) throws {
        try fill()
        let before = try counts()
        #expect(before.values.allSatisfy { $0 > 0 }, "\(before)")
        installation.setClock(aheadBy: .seconds(step))
        try maintain()
        #expect(try counts() == before)
        try installation.restart()
        try maintain()
        #expect(try counts() == before)
        #expect(installation.log.contains(#""event":"clock","fault":"the clock is "#), "\(installation.log)")
        #expect(try metric("gatehouse_clock_agrees") == 0)
        #expect(try metric("gatehouse_clock_lead_seconds").map { abs($0 - Double(step)) < 5 } == true)
        installation.setClock(aheadBy: .zero)
        try maintain()
        #expect(try metric("gatehouse_clock_agrees") == 1)
        installation.advanceClock(by: .seconds(100 * Self.day))
        try maintain()
        let after = try counts()
        for table in Self.tables where table != "users" { #expect(after[table] == 0, "\(table)") }
    }

    private func metric(_ name: String) throws -> Double? {
        let lines = String(decoding: installation.send(.get("/metrics")).body, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name + " ") }.flatMap { Double($0.split(separator: " ")[1]) }
    }

    @Test("Requests go on, and it is ready as long as no other node says that the database is right", arguments: steps)
    func requests(_ step: Int64) throws {
        installation.setClock(aheadBy: .seconds(step))
        try installation.runMaintenance()
        let login = try installation.devLogin("wrong@example.com")
        #expect(try installation.me(login.accessToken).status == 200)
        #expect(try installation.refresh(login.refreshToken).status == 200)
        let readiness = installation.send(.get("/readyz"))
        let part = readiness["parts"]?.array?.compactMap(\.object).first { $0["name"] == "clock" }
        #expect(part?["ready"] == true)
        #expect(part?["detail"]?.string?.contains("nothing expired is deleted") == true)
    }

    @Test("A client whose session is alive by the right clock is not signed out", arguments: steps)
    func notSignedOut(_ step: Int64) throws {
        let login = try installation.devLogin("kept@example.com")
        var newest = try installation.refresh(login.refreshToken)
        installation.setClock(aheadBy: .seconds(step))
        let response = try installation.refresh(newest.refreshToken)
        if step > 30 * Self.day {
            expectProblem(response, 503, "storage_unavailable")
            #expect(response.header("retry-after") != nil)
        } else {
            #expect(response.status == 200)
            newest = response
        }
        installation.setClock(aheadBy: .zero)
        try maintain()
        #expect(try installation.refresh(newest.refreshToken).status == 200)
    }

    @Test("A session that is opened by a clock that is behind does not end when the clock is corrected")
    func loginBehind() throws {
        for days in [1, 31, 400] {
            installation.setClock(aheadBy: .seconds(-Self.day * Int64(days)))
            let login = try installation.devLogin("behind-\(days)@example.com")
            installation.setClock(aheadBy: .zero)
            try maintain()
            let next = try installation.refresh(login.refreshToken)
            #expect(next.status == 200)
            #expect(try installation.me(next.accessToken).status == 200)
        }
    }

    @Test("A request that races another one is no theft by a clock that is ahead")
    func race() throws {
        let login = try installation.devLogin("race@example.com")
        let next = try installation.refresh(login.refreshToken)
        #expect(try installation.me(next.accessToken).status == 200)
        installation.setClock(aheadBy: .seconds(Self.day))
        expectProblem(try installation.refresh(login.refreshToken), 503, "storage_unavailable")
        installation.setClock(aheadBy: .zero)
        #expect(try installation.refresh(next.refreshToken).status == 200)
    }

    @Test("What is over by both clocks is refused for good: an expired session, and a token that was used again")
    func certain() throws {
        let expired = try installation.devLogin("expired@example.com")
        let login = try installation.devLogin("reused@example.com")
        var newest = login
        for _ in 0..<2 {
            newest = try installation.refresh(newest.refreshToken)
            installation.advanceClock(by: .seconds(60))
            #expect(try installation.me(newest.accessToken).status == 200)
            installation.advanceClock(by: .seconds(60))
        }
        installation.setClock(aheadBy: .seconds(Self.day))
        #expect(try installation.refresh(login.refreshToken).code == "refresh_token_reused")
        installation.advanceClock(by: .seconds(40 * Self.day))
        #expect(try installation.refresh(expired.refreshToken).code == "refresh_token_expired")
    }

    @Test("What it has ended stays ended: it is forgotten by the time that passes, and not by its clock")
    func revoked() throws {
        let login = try installation.devLogin("dead@example.com")
        #expect(installation.send(.post("/api/auth/logout", bearer: login.accessToken)).status == 204)
        installation.setClock(aheadBy: .seconds(2 * Self.day))
        for number in 0..<300 {
            let other = try installation.devLogin("other-\(number % 3)@example.com")
            _ = installation.send(.post("/api/auth/logout", bearer: other.accessToken))
        }
        installation.setClock(aheadBy: .zero)
        #expect(try installation.me(login.accessToken).code == "session_revoked")
        try installation.restart()
        #expect(try installation.me(login.accessToken).code == "session_revoked")
    }

    @Test("An access token that it issued in the future is refused until then")
    func future() throws {
        installation.setClock(aheadBy: .seconds(301))
        try installation.runMaintenance()
        let login = try installation.devLogin("future@example.com")
        #expect(try installation.me(login.accessToken).status == 200)
        installation.setClock(aheadBy: .zero)
        #expect(try installation.me(login.accessToken).code == "invalid_access_token")
        #expect(try installation.me(try installation.refresh(login.refreshToken).accessToken).status == 200)
    }
}
