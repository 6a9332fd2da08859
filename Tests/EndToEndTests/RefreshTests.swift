import Foundation
import JSON
import TestSupport
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

    @Test("64 times at once gives everybody the same successor", arguments: World.allCases)
    func race(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("race-\(world)@example.com")
        let answers = try Crowd.of(64) { _ in try house.refresh(login.refreshToken) }
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(Set(answers.map(\.refreshToken)).count == 1)
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
        #expect(try house.me(third.accessToken).code == "session_revoked")
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
        #expect(try house.refresh(login.refreshToken).code == "refresh_token_reused")
        #expect(try house.refresh(next.refreshToken).code == "refresh_token_reused")
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

    @Test("with the secret alone, or the database alone, makes no token that works")
    func leaks() throws {
        let house = try ServedHouse()
        let login = try house.devLogin("leak@example.com")
        let next = try house.refresh(login.refreshToken)
        let parts = next.refreshToken.split(separator: ".").map(String.init)
        // The secret, and everything but the per-token random.
        for generation in [1, 2, 3] as [Int64] {
            let forged = try Forgery.refreshToken(like: parts[1], generation: generation)
            #expect(try house.refresh(forged).code == "invalid_refresh_token", "generation \(generation)")
        }
        #expect(try house.refresh(next.refreshToken).status == 200)
        for suffix in ["", "-wal"] {
            let bytes = FileManager.default.contents(atPath: house.database + suffix) ?? Data()
            for token in [login.refreshToken, next.refreshToken, next.accessToken] {
                #expect(bytes.range(of: Data(token.utf8)) == nil)
                #expect(bytes.range(of: Data(token.split(separator: ".")[2].utf8)) == nil)
            }
        }
    }
}
