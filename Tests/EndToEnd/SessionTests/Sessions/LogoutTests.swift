import JSON
import Testing

@testable import ServerSupport

@Suite("Logout")
struct LogoutTests {

    @Test("The session ends, and a repeated request gets the same answer")
    func idempotent() throws {
        let server = try SharedServers.standard(.nginx)
        let login = try server.devLogin("twice@example.com")
        let body: JSONObject = ["refreshToken": .string(login.refreshToken)]
        for _ in 0..<2 {
            let response = try server.send(.post("/api/auth/logout", body, bearer: login.accessToken))
            #expect(response.status == 204 && response.body.isEmpty)
        }
        #expect(try server.me(login.accessToken).code == "session_revoked")
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_revoked")
    }

    @Test("Other sessions go on unless their refresh token is sent")
    func otherSession() throws {
        let server = try SharedServers.standard(.nginx)
        let logins = try (0..<3).map { _ in try server.devLogin("others@example.com") }
        let body: JSONObject = ["refreshToken": .string(logins[1].refreshToken)]
        #expect(try server.send(.post("/api/auth/logout", body, bearer: logins[0].accessToken)).status == 204)
        #expect(try server.me(logins[0].accessToken).status == 401)
        #expect(try server.me(logins[1].accessToken).status == 401)
        #expect(try server.me(logins[2].accessToken).status == 200)
    }

    @Test("A refresh token of another user is refused, and no session ends")
    func foreignToken() throws {
        let server = try SharedServers.standard(.nginx)
        let mine = try server.devLogin("mine@example.com")
        let theirs = try server.devLogin("theirs@example.com")
        let body: JSONObject = ["refreshToken": .string(theirs.refreshToken)]
        let response = try server.send(.post("/api/auth/logout", body, bearer: mine.accessToken))
        #expect(response.status == 422)
        #expect(response.code == "invalid_refresh_token")
        #expect(response.header("www-authenticate") == nil)
        #expect(try server.me(mine.accessToken).status == 200)
        #expect(try server.me(theirs.accessToken).status == 200)
    }

    @Test("A forged refresh token is refused even if its signature is valid")
    func forgedToken() throws {
        let server = try InProcessServer()
        let mine = try server.devLogin("forged@example.com")
        let other = try server.devLogin("forged@example.com")
        let payload = other.refreshToken.split(separator: ".").map(String.init)[1]
        let body: JSONObject = ["refreshToken": .string(try ForgedToken.refreshToken(like: payload, generation: 1))]
        #expect(
            server.send(.post("/api/auth/logout", body, bearer: mine.accessToken)).code == "invalid_refresh_token"
        )
        #expect(try server.me(mine.accessToken).status == 200)
        #expect(try server.refresh(other.refreshToken).status == 200)
    }
}
