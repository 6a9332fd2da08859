import Foundation
import JSON
import TestSupport
import Testing

@Suite("An access token")
struct ExpiryTests {
    @Test("ends after fifteen minutes, and the refresh token goes on")
    func expiry() throws {
        let house = try InProcessHouse()
        let login = try house.devLogin("expiry@example.com")
        house.setForward(by: .seconds(898))
        #expect(try house.me(login.accessToken).status == 200)
        house.setForward(by: .seconds(3))
        let late = try house.me(login.accessToken)
        #expect(late.status == 401)
        #expect(late.code == "access_token_expired")
        #expect(try house.refresh(login.refreshToken).status == 200)
    }

    @Test("lives no longer than its session, and says so")
    func sessionEnd() throws {
        let house = try InProcessHouse { $0["SESSION_MAX_AGE"] = "20m" }
        let login = try house.devLogin("end@example.com")
        house.setForward(by: .seconds(600))
        let next = try house.refresh(login.refreshToken)
        let left = try #require(next["expiresIn"]?.integer)
        #expect((598...600).contains(left))
        house.setForward(by: .seconds(601))
        #expect(try house.me(next.accessToken).code == "access_token_expired")
    }

    @Test("lives no longer than the refresh token that it came with, also where the answer is given again")
    func givenAgain() throws {
        let house = try InProcessHouse { $0["REFRESH_TOKEN_TTL"] = "60s" }
        let login = try house.devLogin("again@example.com")
        _ = try house.refresh(login.refreshToken)
        house.setForward(by: .seconds(25))
        let again = try house.refresh(login.refreshToken)
        let left = try #require(again["expiresIn"]?.integer)
        #expect((33...35).contains(left))
    }

    @Test("of a session that ended is still dead after a restart, also by shorter rules than it was issued by")
    func restart() throws {
        let house = try ServedHouse { $0["ACCESS_TOKEN_TTL"] = "1h" }
        let login = try house.devLogin("restart@example.com")
        #expect(try house.send(.post("/api/auth/logout", bearer: login.accessToken)).status == 204)
        house.process.signal(9)
        #expect(house.process.wait() != nil)
        sleep(2)
        try house.restart { $0["ACCESS_TOKEN_TTL"] = "1s" }
        #expect(try house.me(login.accessToken).code == "session_revoked")
    }
}
