import JSON
import Testing

@Suite("Refreshing")
struct RefreshTests {
    @Test("gives the next pair, and both work", arguments: World.allCases)
    func next(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("next-\(world)@example.com")
        let next = try house.refresh(login.refreshToken)
        #expect(next.status == 200)
        #expect(next.json.names == ["accessToken", "refreshToken", "tokenType", "expiresIn"])
        #expect(next.refreshToken != login.refreshToken)
        #expect(try house.me(next.accessToken).status == 200)
        #expect(try house.refresh(next.refreshToken).status == 200)
    }

    @Test("again with the same token gives the same successor, byte for byte", arguments: World.allCases)
    func retry(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("retry-\(world)@example.com")
        let answers = try (0..<5).map { _ in try house.refresh(login.refreshToken) }
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(Set(answers.map(\.refreshToken)).count == 1)
    }

    @Test("64 times at once gives everybody the same successor, all the way down the chain", arguments: World.allCases)
    func race(_ world: World) throws {
        let house = try Houses.of(world)
        var token = try house.devLogin("race-\(world)@example.com").refreshToken
        for generation in 2...5 as ClosedRange<Int64> {
            let answers = try house.send(.refresh(token), timesAtOnce: 64)
            #expect(answers.map(\.status) == Array(repeating: 200, count: 64))
            #expect(Set(answers.map(\.refreshToken)).count == 1)
            token = answers[0].refreshToken
            #expect(answers[0].generation == generation)
        }
        #expect(try house.refresh(token).status == 200)
    }

    @Test("with a token whose successor was used ends the session for everybody", arguments: World.allCases)
    func reuse(_ world: World) throws {
        let house = try Houses.of(world)
        let first = try house.devLogin("reuse-\(world)@example.com")
        let second = try house.refresh(first.refreshToken)
        let third = try house.refresh(second.refreshToken)
        for token in [first.refreshToken, third.refreshToken, second.refreshToken] {
            let answer = try house.refresh(token)
            #expect(answer.status == 401)
            #expect(answer.code == "refresh_token_reused")
        }
        for token in [first.accessToken, second.accessToken, third.accessToken] {
            #expect(try house.me(token).code == "session_revoked")
            // nginx keeps this one for itself.
            if world != .nginx { #expect(try house.verify(token).code == "session_revoked") }
        }
        #expect(try house.devLogin("reuse-\(world)@example.com").status == 200)
    }

    @Test("with an old token after the grace is theft")
    func afterGrace() throws {
        let house = try InProcessHouse()
        let login = try house.devLogin("grace@example.com")
        let next = try house.refresh(login.refreshToken)
        house.setForward(by: .seconds(29))
        #expect(try house.refresh(login.refreshToken).refreshToken == next.refreshToken)
        house.setForward(by: .seconds(2))
        for token in [login.refreshToken, next.refreshToken, login.refreshToken] {
            #expect(try house.refresh(token).code == "refresh_token_reused")
        }
        for token in [login.accessToken, next.accessToken] {
            #expect(try house.me(token).code == "session_revoked")
            #expect(try house.verify(token).code == "session_revoked")
        }
    }

    @Test("in a token's last moment can be repeated after it")
    func lastMoment() throws {
        let house = try InProcessHouse { $0["REFRESH_TOKEN_TTL"] = "1h" }
        let login = try house.devLogin("last@example.com")
        house.setForward(by: .seconds(3595))
        let next = try house.refresh(login.refreshToken)
        house.setForward(by: .seconds(10))
        #expect(try house.refresh(login.refreshToken).refreshToken == next.refreshToken)
        let unused = try house.devLogin("last@example.com")
        house.setForward(by: .seconds(3605))
        #expect(try house.refresh(unused.refreshToken).code == "refresh_token_expired")
    }

    @Test("keeps a session alive for as long as it is used, up to its greatest age")
    func lifetimes() throws {
        let house = try InProcessHouse {
            $0["REFRESH_TOKEN_TTL"] = "10d"
            $0["SESSION_MAX_AGE"] = "25d"
        }
        var token = try house.devLogin("life@example.com").refreshToken
        for _ in 0..<2 {
            house.setForward(by: .seconds(9 * 86_400))
            let answer = try house.refresh(token)
            #expect(answer.status == 200)
            token = answer.refreshToken
        }
        house.setForward(by: .seconds(7 * 86_400))
        let late = try house.refresh(token)
        #expect(late.status == 401)
        #expect(late.code == "refresh_token_expired")
    }

    @Test("with anything that is no refresh token of ours is refused, and ends nothing", arguments: World.allCases)
    func foreign(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("foreign-\(world)@example.com")
        let apple = house.apple.login("001.x")["identityToken"]?.string ?? ""
        let cut = String(login.refreshToken.dropLast(2))
        for token in [login.accessToken, apple, cut, "x", "a.b.c", login.refreshToken + "="] {
            let answer = try house.refresh(token)
            #expect(answer.status == 401)
            #expect(answer.code == "invalid_refresh_token")
            #expect(answer.header("www-authenticate")?.hasPrefix("Bearer error=") == true)
        }
        #expect(try house.refresh(login.refreshToken).status == 200)
    }
}
