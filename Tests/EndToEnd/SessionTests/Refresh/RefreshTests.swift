import JSON
import Testing

@testable import ServerSupport

@Suite("Refresh")
struct RefreshTests {
    @Test("A refresh returns a new pair of valid tokens")
    func next() throws {
        let server = try SharedServers.standard(.nginx)
        let login = try server.devLogin("next@example.com")
        let next = try server.refresh(login.refreshToken)
        #expect(next.status == 200)
        #expect(next.json.names == ["accessToken", "refreshToken", "tokenType", "expiresIn"])
        #expect(next.refreshToken != login.refreshToken)
        #expect(try server.me(next.accessToken).status == 200)
        #expect(try server.refresh(next.refreshToken).status == 200)
    }

    @Test(
        "64 concurrent refreshes return the same refresh token, for several generations",
        arguments: [TestEnvironment.handler, .nginx])
    func concurrent(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        var token = try server.devLogin("race-\(environment)@example.com").refreshToken
        for generation in 2...5 as ClosedRange<Int64> {
            let responses = try server.send(.refresh(token), timesAtOnce: 64)
            #expect(responses.map(\.status) == Array(repeating: 200, count: 64))
            #expect(Set(responses.map(\.refreshToken)).count == 1)
            token = responses[0].refreshToken
            #expect(responses[0].generation == generation)
        }
        #expect(try server.refresh(token).status == 200)
    }

    @Test("A token that was superseded before the grace ends the session")
    func reuse() throws {
        let server = try SharedServers.strictNginx.get()
        let first = try server.devLogin("reuse@example.com")
        let second = try server.refresh(first.refreshToken)
        let third = try server.refresh(second.refreshToken)
        for token in [first.refreshToken, third.refreshToken, second.refreshToken] {
            let response = try server.refresh(token)
            #expect(response.status == 401)
            #expect(response.code == "refresh_token_reused")
        }
        for token in [first.accessToken, second.accessToken, third.accessToken] {
            #expect(try server.me(token).code == "session_revoked")
            #expect(try server.backend.verify(token).code == "session_revoked")
        }
        #expect(try server.devLogin("reuse@example.com").status == 200)
    }

    @Test("An old token ends the session once its successor has been used and the grace is over")
    func afterGrace() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("grace@example.com")
        let next = try server.refresh(login.refreshToken)
        server.advanceClock(by: .seconds(600))
        #expect(try server.me(next.accessToken).status == 200)
        server.advanceClock(by: .seconds(15))
        #expect(try server.refresh(login.refreshToken).refreshToken == next.refreshToken)
        server.advanceClock(by: .seconds(16))
        for token in [login.refreshToken, next.refreshToken, login.refreshToken] {
            #expect(try server.refresh(token).code == "refresh_token_reused")
        }
        for token in [login.accessToken, next.accessToken] {
            #expect(try server.me(token).code == "session_revoked")
            #expect(try server.verify(token).code == "session_revoked")
        }
    }

    @Test("A refresh in the last moment of a token can be repeated after its expiry")
    func lastMoment() throws {
        let server = try InProcessServer { $0["REFRESH_TOKEN_TTL"] = "1h" }
        let login = try server.devLogin("last@example.com")
        server.advanceClock(by: .seconds(3580))
        let next = try server.refresh(login.refreshToken)
        server.advanceClock(by: .seconds(25))
        #expect(try server.refresh(login.refreshToken).refreshToken == next.refreshToken)
        let unused = try server.devLogin("last@example.com")
        server.advanceClock(by: .seconds(3605))
        #expect(try server.refresh(unused.refreshToken).code == "refresh_token_expired")
    }

    @Test("A session stays valid while it is refreshed, up to its maximum age")
    func lifetimes() throws {
        let server = try InProcessServer {
            $0["REFRESH_TOKEN_TTL"] = "10d"
            $0["SESSION_MAX_AGE"] = "25d"
        }
        var token = try server.devLogin("life@example.com").refreshToken
        for _ in 0..<2 {
            server.advanceClock(by: .seconds(9 * 86_400))
            let response = try server.refresh(token)
            #expect(response.status == 200)
            token = response.refreshToken
        }
        server.advanceClock(by: .seconds(7 * 86_400))
        let late = try server.refresh(token)
        #expect(late.status == 401)
        #expect(late.code == "refresh_token_expired")
    }

    @Test("Any other token is refused and ends no session")
    func otherTokens() throws {
        let server = try SharedServers.standard(.nginx)
        let login = try server.devLogin("foreign@example.com")
        let apple = server.apple.login("001.x")["identityToken"]?.string ?? ""
        let cut = String(login.refreshToken.dropLast(2))
        for token in [login.accessToken, apple, cut, "x", "a.b.c", login.refreshToken + "="] {
            let response = try server.refresh(token)
            #expect(response.status == 401)
            #expect(response.code == "invalid_refresh_token")
            #expect(response.header("www-authenticate")?.hasPrefix("Bearer error=") == true)
        }
        #expect(try server.refresh(login.refreshToken).status == 200)
    }
}
