import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The limit of sessions per user")
struct SessionLimitTests {
    @Test("A login over the limit ends the least recently used session at once")
    func limit() throws {
        let server = try ServerBehindNginx { $0["SESSIONS_PER_USER"] = "3" }
        var logins = try (0..<3).map { _ in
            let login = try server.devLogin("many@example.com")
            waitForNextMillisecond()
            return login
        }
        let other = try server.devLogin("other@example.com")
        // A refresh makes the first session the most recent one, so the second is the oldest.
        logins[0] = try server.refresh(logins[0].refreshToken)
        logins.append(try server.devLogin("many@example.com"))
        #expect(try server.me(logins[1].accessToken).code == "session_revoked")
        #expect(try server.refresh(logins[1].refreshToken).code == "refresh_token_revoked")
        for login in [logins[0], logins[2], logins[3], other] {
            #expect(try server.me(login.accessToken).status == 200)
        }
        let events = try server.send(.get("/api/users/me/export", bearer: logins[3].accessToken))["events"]?.array
        #expect(events?.compactMap { $0.object?["kind"]?.string }.filter { $0 == "session_limit" }.count == 1)
    }

    @Test("A join over the limit ends a session of the user who is joined, and metrics and the audit trail say so")
    func join() throws {
        let fixture = try CodeFixture { variables in
            variables["SESSIONS_PER_USER"] = "2"
            for name in ["ADDRESS", "CLIENT", "NETWORK"] { variables["CODES_PER_\(name)"] = "1000/1h" }
        }
        let number = fixture.newNumber()
        let owner = try (0..<2).map { _ in
            let login = try fixture.logIn(phone: number)
            waitForNextMillisecond()
            return login
        }
        let new = try fixture.logIn(fixture.code("limit@example.com", channel: "email"))
        let joined = try fixture.bind(fixture.code(number), to: new, ["onTaken": "join"])
        #expect(joined.userID == owner[0].userID, "\(joined.json)")
        #expect(try fixture.me(owner[0]).code == "session_revoked")
        #expect(try fixture.me(owner[1]).status == 200)
        let metrics = String(decoding: try fixture.server.send(.get("/metrics")).body, as: UTF8.self)
        for reason in ["session_limit", "user_deleted"] {
            #expect(metrics.contains("gatehouse_sessions_ended_total{reason=\"\(reason)\"} 1\n"), "\(reason)")
        }
        let export = try fixture.server.send(.get("/api/users/me/export", bearer: joined.accessToken))
        let events = export["events"]?.array?.compactMap(\.object).filter { $0["kind"] == "session_limit" } ?? []
        #expect(events.map { $0["sessionId"]?.string } == [owner[0].sessionID], "\(export.json)")
    }

    /// Sessions that were used in the same millisecond have no order.
    private func waitForNextMillisecond() {
        let now = Date()
        _ = Eventually.holds { Date().timeIntervalSince(now) > 0.001 }
    }
}
