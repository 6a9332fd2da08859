import JSON
import Testing

@Suite("Signing out")
struct LogoutTests {
    @Test("ends the session for the very next request", arguments: World.allCases)
    func deadAtOnce(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("out-\(world)@example.com")
        let answer = try house.send(.post("/api/auth/logout", bearer: login.accessToken))
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        let me = try house.me(login.accessToken)
        #expect(me.status == 401)
        #expect(me.code == "session_revoked")
        #expect(try house.refresh(login.refreshToken).code == "refresh_token_revoked")
    }

    @Test("twice is as good as once", arguments: World.allCases)
    func idempotent(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("twice-\(world)@example.com")
        for _ in 0..<2 {
            #expect(
                try house.send(
                    .post(
                        "/api/auth/logout", ["refreshToken": .string(login.refreshToken)], bearer: login.accessToken)
                ).status == 204)
        }
    }

    @Test("leaves the user's other sessions alone, unless their refresh token is given", arguments: World.allCases)
    func otherSession(_ world: World) throws {
        let house = try Houses.of(world)
        let logins = try (0..<3).map { _ in try house.devLogin("others-\(world)@example.com") }
        let body: JSONObject = ["refreshToken": .string(logins[1].refreshToken)]
        #expect(try house.send(.post("/api/auth/logout", body, bearer: logins[0].accessToken)).status == 204)
        #expect(try house.me(logins[0].accessToken).status == 401)
        #expect(try house.me(logins[1].accessToken).status == 401)
        #expect(try house.me(logins[2].accessToken).status == 200)
    }

    @Test("with somebody else's refresh token is refused, and ends nothing", arguments: World.allCases)
    func foreignToken(_ world: World) throws {
        let house = try Houses.of(world)
        let mine = try house.devLogin("mine-\(world)@example.com")
        let theirs = try house.devLogin("theirs-\(world)@example.com")
        let body: JSONObject = ["refreshToken": .string(theirs.refreshToken)]
        let answer = try house.send(.post("/api/auth/logout", body, bearer: mine.accessToken))
        #expect(answer.status == 401)
        #expect(answer.code == "invalid_refresh_token")
        #expect(try house.me(mine.accessToken).status == 200)
        #expect(try house.me(theirs.accessToken).status == 200)
    }

    @Test("with a refresh token that we did not issue is refused, even if our secret signed it")
    func forgedToken() throws {
        let house = try InProcessHouse()
        let mine = try house.devLogin("forged@example.com")
        let other = try house.devLogin("forged@example.com")
        let payload = other.refreshToken.split(separator: ".").map(String.init)[1]
        let body: JSONObject = ["refreshToken": .string(try Forgery.refreshToken(like: payload, generation: 1))]
        #expect(house.send(.post("/api/auth/logout", body, bearer: mine.accessToken)).code == "invalid_refresh_token")
        #expect(try house.me(mine.accessToken).status == 200)
        #expect(try house.refresh(other.refreshToken).status == 200)
    }

    @Test("without a token is refused", arguments: World.allCases)
    func anonymous(_ world: World) throws {
        let answer = try Houses.of(world).send(.post("/api/auth/logout", bearer: nil))
        #expect(answer.status == 401)
        #expect(answer.code == "invalid_access_token")
        #expect(answer.header("www-authenticate") == "Bearer")
    }
}
