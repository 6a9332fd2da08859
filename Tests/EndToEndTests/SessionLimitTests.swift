import Foundation
import JSON
import Testing

@Suite("More sessions of a user than the limit")
struct SessionLimitTests {
    @Test("end those that were not used for the longest time, at once", arguments: World.allCases)
    func limit(_ world: World) throws {
        let adjust: (inout [String: String]) -> Void = { $0["SESSIONS_PER_USER"] = "3" }
        let house: any House =
            switch world {
            case .handler: try InProcessHouse(adjust)
            case .fastCGI: try ServedHouse(adjust)
            case .nginx: try FrontedHouse(adjust)
            }
        var logins = try (0..<3).map { _ in
            let login = try house.devLogin("many@example.com")
            waitForNextMillisecond()
            return login
        }
        let other = try house.devLogin("other@example.com")
        // The first one is used, so the second one is the oldest.
        logins[0] = try house.refresh(logins[0].refreshToken)
        logins.append(try house.devLogin("many@example.com"))
        #expect(try house.me(logins[1].accessToken).code == "session_revoked")
        #expect(try house.refresh(logins[1].refreshToken).code == "refresh_token_revoked")
        for login in [logins[0], logins[2], logins[3], other] { #expect(try house.me(login.accessToken).status == 200) }
        let events = try house.send(.get("/api/users/me/export", bearer: logins[3].accessToken))["events"]?.array
        #expect(events?.compactMap { $0.object?["kind"]?.string }.filter { $0 == "session_limit" }.count == 1)
    }

    /// Of two sessions that were used in one millisecond, neither is older.
    private func waitForNextMillisecond() { usleep(2_000) }

    @Test("are still found when the limit is lowered")
    func lowered() throws {
        let house = try InProcessHouse()
        let logins = try (0..<6).map { _ in
            house.setForward(by: .seconds(1))
            return try house.devLogin("many@example.com")
        }
        try house.restart { $0["SESSIONS_PER_USER"] = "2" }
        #expect(try house.me(logins[0].accessToken).status == 200, "nothing ends before the next login")
        house.setForward(by: .seconds(1))
        let last = try house.devLogin("many@example.com")
        let alive = try (logins + [last]).map { try house.me($0.accessToken).status == 200 }
        #expect(alive == [false, false, false, false, false, true, true])
    }
}
