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

    /// Sessions that were used in the same millisecond have no order.
    private func waitForNextMillisecond() {
        let now = Date()
        _ = Eventually.holds { Date().timeIntervalSince(now) > 0.001 }
    }
}
