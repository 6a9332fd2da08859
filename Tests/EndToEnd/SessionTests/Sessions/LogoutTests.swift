import JSON
import Testing

@testable import ServerSupport

@Suite("Logout")
struct LogoutTests {
    @Test("The next request of the session is refused", arguments: TestEnvironment.allCases)
    func endsAtOnce(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let login = try server.devLogin("out-\(environment)@example.com")
        let response = try server.send(.post("/api/auth/logout", bearer: login.accessToken))
        #expect(response.status == 204)
        #expect(response.body.isEmpty)
        let me = try server.me(login.accessToken)
        #expect(me.status == 401)
        #expect(me.code == "session_revoked")
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_revoked")
    }

    @Test("A repeated request gets the same answer", arguments: TestEnvironment.allCases)
    func idempotent(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let login = try server.devLogin("twice-\(environment)@example.com")
        for _ in 0..<2 {
            #expect(
                try server.send(
                    .post(
                        "/api/auth/logout", ["refreshToken": .string(login.refreshToken)], bearer: login.accessToken)
                ).status == 204)
        }
    }

    @Test(
        "Other sessions go on unless their refresh token is sent",
        arguments: TestEnvironment.allCases)
    func otherSession(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let logins = try (0..<3).map { _ in try server.devLogin("others-\(environment)@example.com") }
        let body: JSONObject = ["refreshToken": .string(logins[1].refreshToken)]
        #expect(try server.send(.post("/api/auth/logout", body, bearer: logins[0].accessToken)).status == 204)
        #expect(try server.me(logins[0].accessToken).status == 401)
        #expect(try server.me(logins[1].accessToken).status == 401)
        #expect(try server.me(logins[2].accessToken).status == 200)
    }

    @Test("A refresh token of another user is refused, and no session ends", arguments: TestEnvironment.allCases)
    func foreignToken(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let mine = try server.devLogin("mine-\(environment)@example.com")
        let theirs = try server.devLogin("theirs-\(environment)@example.com")
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

    @Test("An access token or a refresh token is required", arguments: TestEnvironment.allCases)
    func anonymous(_ environment: TestEnvironment) throws {
        let response = try SharedServers.standard(environment).send(.post("/api/auth/logout", bearer: nil))
        #expect(response.status == 401)
        #expect(response.code == "invalid_access_token")
        #expect(response.header("www-authenticate") == "Bearer")
    }
}
