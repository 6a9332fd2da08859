import JSON
import Testing

@testable import ServerSupport

/// A client that logs out without a network has no valid access token when it is online again.
@Suite("Logout by a refresh token alone")
struct LogoutByRefreshTokenTests {
    private func logOut(_ token: String, at server: any TestServer) throws -> TestResponse {
        try server.send(.post("/api/auth/logout", ["refreshToken": .string(token)]))
    }

    @Test("The session ends at once, and a repeated request gets the same answer")
    func endsAtOnce() throws {
        let server = try SharedServers.standard(.nginx)
        let login = try server.devLogin("offline@example.com")
        let other = try server.devLogin("offline@example.com")
        for _ in 0..<2 {
            let response = try logOut(login.refreshToken, at: server)
            #expect(response.status == 204)
            #expect(response.body.isEmpty)
        }
        #expect(try server.me(login.accessToken).code == "session_revoked")
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_revoked")
        #expect(try server.me(other.accessToken).status == 200)
    }

    @Test("A superseded token ends the session too, also one whose hash is no longer stored")
    func superseded() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("superseded@example.com")
        var newest = login
        for _ in 0..<3 { newest = try server.refresh(newest.refreshToken) }
        #expect(try logOut(login.refreshToken, at: server).status == 204)
        #expect(try server.me(newest.accessToken).code == "session_revoked")
        #expect(try server.refresh(newest.refreshToken).code == "refresh_token_revoked")
    }

    @Test("A token of a session that has expired, and was deleted, is answered like any other")
    func deleted() throws {
        let server = try InProcessServer { $0["REFRESH_TOKEN_TTL"] = "1h" }
        let login = try server.devLogin("deleted@example.com")
        for _ in 0..<2 {
            server.advanceClock(by: .seconds(4000))
            #expect(try logOut(login.refreshToken, at: server).status == 204)
            try server.runMaintenance()
        }
    }

    @Test("A token that Gatehouse did not issue is refused and ends nothing")
    func foreign() throws {
        let server = try SharedServers.standard(.nginx)
        let login = try server.devLogin("signed@example.com")
        let payload = login.refreshToken.split(separator: ".").map(String.init)[1]
        let forged = try ForgedToken.refreshToken(like: payload, generation: 1)
        for token in [login.accessToken, forged, String(login.refreshToken.dropLast(2)), "x"] {
            let response = try logOut(token, at: server)
            #expect(response.status == 401)
            #expect(response.code == "invalid_refresh_token")
        }
        #expect(try server.me(login.accessToken).status == 200)
    }
}
