import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Access token expiry")
struct AccessTokenExpiryTests {
    @Test("An access token expires after 15 minutes, and the refresh token stays valid")
    func expiry() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("expiry@example.com")
        server.advanceClock(by: .seconds(870))
        #expect(try server.me(login.accessToken).status == 200)
        server.advanceClock(by: .seconds(31))
        let late = try server.me(login.accessToken)
        #expect(late.status == 401)
        #expect(late.code == "access_token_expired")
        #expect(try server.refresh(login.refreshToken).status == 200)
    }

    @Test("An access token does not outlive its session")
    func sessionEnd() throws {
        let server = try InProcessServer { $0["SESSION_MAX_AGE"] = "20m" }
        let login = try server.devLogin("end@example.com")
        server.advanceClock(by: .seconds(600))
        let next = try server.refresh(login.refreshToken)
        let left = try #require(next["expiresIn"]?.integer)
        #expect((570...600).contains(left))
        server.advanceClock(by: .seconds(601))
        #expect(try server.me(next.accessToken).code == "access_token_expired")
    }

    @Test("An access token of an ended session stays invalid after a restart with a shorter lifetime")
    func restart() throws {
        let server = try InProcessServer { $0["ACCESS_TOKEN_TTL"] = "1h" }
        let login = try server.devLogin("restart@example.com")
        #expect(server.send(.post("/api/auth/logout", bearer: login.accessToken)).status == 204)
        server.advanceClock(by: .seconds(2))
        try server.restart { $0["ACCESS_TOKEN_TTL"] = "1s" }
        #expect(try server.me(login.accessToken).code == "session_revoked")
    }
}
