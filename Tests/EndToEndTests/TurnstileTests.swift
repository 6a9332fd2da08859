import TestSupport
import Testing

@Suite("An operator's word")
struct TurnstileTests {
    @Test("holds from the moment it is given, fifty times, however many ask meanwhile")
    func disableAndEnable() throws {
        let house = try ServedHouse { $0["LOG_LEVEL"] = "warning" }
        let turnstile = Turnstile(house)
        let user = try house.devLogin("turn@example.com").userID
        let clients = (0..<4).map { _ in
            Background {
                turnstile.client()
                return []
            }
        }
        defer {
            turnstile.end()
            for client in clients { _ = client.result() }
        }
        for round in 0..<50 {
            let token = try house.devLogin("turn@example.com").accessToken
            try #require(turnstile.show(token), "round \(round)")
            try house.operate("users", "disable", user)
            try #require(turnstile.close(), "round \(round)")
            try house.operate("users", "enable", user)
            #expect(try house.send(.get("/api/auth/verify", bearer: token)).status == 401, "round \(round)")
        }
        #expect(turnstile.wronglyAdmitted == 0)
        #expect(turnstile.complaint == nil)
    }
}
