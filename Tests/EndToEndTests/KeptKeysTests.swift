import FakeApple
import Foundation
import JSON
import TestSupport
import Testing

@Suite("While Apple is down")
struct KeptKeysTests {
    private func login(_ house: any House, _ subject: String = "001.kept") throws -> Answer {
        // For as long as the clocks of these tests run.
        let body = house.apple.login(subject) { $0.claims = ["exp": 4_000_000_000] }
        return try house.send(.post("/api/auth/apple", body))
    }

    @Test("a server that was killed right after a fetch starts, and logins with the keys that it knew go on")
    func killed() throws {
        let house = try ServedHouse()
        #expect(try login(house).status == 200)
        house.process.signal(SIGKILL)
        #expect(house.process.wait() == 128 + SIGKILL)
        house.apple.misbehave(.hangingUp)
        try house.restart()
        #expect(try login(house).status == 200)
        #expect(try house.send(.post("/api/auth/apple", house.apple.forgedLogin())).code == "apple_keys_unavailable")
        #expect(Eventually.holds { house.process.log.contains("apple_keys_restored") })
    }

    @Test("a server that never had its keys says so, and logins work once Apple is back, without a restart")
    func neverThere() throws {
        let house = try ServedHouse(apple: .hangingUp)
        // The next fetch for a login's sake is thirty seconds away then.
        #expect(Eventually.holds { house.apple.fetches == 1 })
        let answer = try login(house)
        #expect(answer.status == 503)
        #expect(answer.code == "apple_keys_unavailable")
        #expect(answer.header("retry-after") == "5")
        house.apple.behave()
        #expect(Eventually.holds { (try? login(house).status) == 200 })
    }

    @Test("a login without keys does not have to wait for the cooldown of an earlier one")
    func renewedUrgently() throws {
        let house = try InProcessHouse()
        house.apple.misbehave(.hangingUp)
        #expect(try login(house).status == 503)
        house.apple.behave()
        house.setForward(by: .seconds(4))
        house.renewKeys()
        #expect(try login(house).status == 503)
        house.setForward(by: .seconds(1))
        house.renewKeys()
        #expect(try login(house).status == 200)
    }

    @Test(
        "the keys of an earlier process are believed for 48 hours after their fetch",
        arguments: [(0, 200), (47, 200), (49, 503)])
    func age(_ hours: Int, _ status: Int) throws {
        let house = try InProcessHouse()
        #expect(try login(house).status == 200)
        house.apple.misbehave(.hangingUp)
        house.setForward(by: .seconds(hours * 3600))
        try house.restart()
        house.renewKeys()
        #expect(try login(house).status == status)
    }

    @Test("the 48 hours do not begin anew with each start")
    func starts() throws {
        let house = try InProcessHouse()
        #expect(try login(house).status == 200)
        house.apple.misbehave(.hangingUp)
        for _ in 0..<3 {
            house.setForward(by: .seconds(15 * 3600))
            try house.restart()
            house.renewKeys()
            #expect(try login(house).status == 200)
        }
        house.setForward(by: .seconds(4 * 3600))
        #expect(try login(house).status == 503)
    }

    @Test("the keys of another address are not believed")
    func otherAddress() throws {
        let house = try InProcessHouse()
        #expect(try login(house).status == 200)
        house.apple.misbehave(.hangingUp)
        try house.restart { $0["APPLE_JWKS_URL"]? += "?another" }
        #expect(try login(house).status == 503)
        try house.restart()
        #expect(try login(house).status == 200)
    }

    @Test("an operator reads of each failed fetch how old the keys are, of their end, and of Apple's return")
    func log() throws {
        let house = try InProcessHouse()
        house.renewKeys()
        house.apple.misbehave(.replying(status: "503 Service Unavailable", text: "down"))
        for hours in [2, 46] {
            house.setForward(by: .seconds(hours * 3600))
            house.renewKeys()
        }
        house.apple.behave()
        house.setForward(by: .seconds(5))
        house.renewKeys()
        let lines = try house.log.split(separator: "\n").map { try JSONValue(parsing: String($0)).object ?? [:] }
            .filter { $0["event"] == "apple_keys" }
        #expect(lines.map { $0["level"] } == ["info", "warning", "error", "info"])
        #expect(lines.map { $0["usable"] } == [1, nil, nil, 1])
        #expect(lines.map { $0["fault"] } == [nil, "status 503", "status 503", nil])
        let ages = lines.map { $0["age"] }
        #expect(ages[1].flatMap(\.integer).map { (7200...7260).contains($0) } == true)
        #expect(ages[2] == .null)
    }
}
