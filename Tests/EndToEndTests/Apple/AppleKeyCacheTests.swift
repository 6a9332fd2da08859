import FakeApple
import Foundation
import JSON
import TestSupport
import Testing

@Suite("Cached Apple keys while Apple is unreachable")
struct AppleKeyCacheTests {
    private func login(_ installation: any Installation, _ subject: String = "001.kept") throws -> TestResponse {
        // The token must not expire while the test advances the clock.
        let body = installation.apple.login(subject) { $0.claims = ["exp": 4_000_000_000] }
        return try installation.send(.post("/api/auth/apple", body))
    }

    @Test("A killed server restarts with the stored keys and accepts logins")
    func killed() throws {
        let installation = try FastCGIInstallation()
        #expect(try login(installation).status == 200)
        installation.process.signal(SIGKILL)
        #expect(installation.process.wait() == 128 + SIGKILL)
        installation.apple.setKeyServerMode(.closing)
        try installation.restart()
        #expect(try login(installation).status == 200)
        #expect(
            try installation.send(.post("/api/auth/apple", installation.apple.forgedLogin())).code
                == "apple_keys_unavailable")
        #expect(Eventually.holds { installation.process.log.contains("apple_keys_restored") })
    }

    @Test("A server without keys answers 503, and logins work once Apple is reachable")
    func noKeys() throws {
        let installation = try FastCGIInstallation(apple: .closing)
        // The next fetch that a login may cause is 30 seconds away.
        #expect(Eventually.holds { installation.apple.fetches == 1 })
        let response = try login(installation)
        #expect(response.status == 503)
        #expect(response.code == "apple_keys_unavailable")
        #expect(response.header("retry-after") == "5")
        installation.apple.resetKeyServer()
        #expect(Eventually.holds { (try? login(installation).status) == 200 })
    }

    @Test("A missing key set is fetched again without waiting for the login cooldown")
    func cooldown() throws {
        let installation = try InProcessInstallation()
        installation.apple.setKeyServerMode(.closing)
        #expect(try login(installation).status == 503)
        installation.apple.resetKeyServer()
        installation.advanceClock(by: .seconds(4))
        installation.renewKeys()
        #expect(try login(installation).status == 503)
        installation.advanceClock(by: .seconds(1))
        installation.renewKeys()
        #expect(try login(installation).status == 200)
    }

    @Test(
        "Stored keys are valid for 48 hours after they were fetched",
        arguments: [(0, 200), (47, 200), (49, 503)])
    func age(_ hours: Int, _ status: Int) throws {
        let installation = try InProcessInstallation()
        #expect(try login(installation).status == 200)
        installation.apple.setKeyServerMode(.closing)
        installation.advanceClock(by: .seconds(hours * 3600))
        try installation.restart()
        installation.renewKeys()
        #expect(try login(installation).status == status)
    }

    @Test("A restart does not extend the 48 hours")
    func restarts() throws {
        let installation = try InProcessInstallation()
        #expect(try login(installation).status == 200)
        installation.apple.setKeyServerMode(.closing)
        for _ in 0..<3 {
            installation.advanceClock(by: .seconds(15 * 3600))
            try installation.restart()
            installation.renewKeys()
            #expect(try login(installation).status == 200)
        }
        installation.advanceClock(by: .seconds(4 * 3600))
        #expect(try login(installation).status == 503)
    }

    @Test("Keys that were fetched from another URL are not used")
    func otherAddress() throws {
        let installation = try InProcessInstallation()
        #expect(try login(installation).status == 200)
        installation.apple.setKeyServerMode(.closing)
        try installation.restart { $0["APPLE_JWKS_URL"]? += "?another" }
        #expect(try login(installation).status == 503)
        try installation.restart()
        #expect(try login(installation).status == 200)
    }

    @Test("The log has the age of the keys at each failed fetch, their expiry and the recovery")
    func log() throws {
        let installation = try InProcessInstallation()
        installation.renewKeys()
        installation.apple.setKeyServerMode(.replying(status: "503 Service Unavailable", text: "down"))
        for hours in [2, 46] {
            installation.advanceClock(by: .seconds(hours * 3600))
            installation.renewKeys()
        }
        installation.apple.resetKeyServer()
        installation.advanceClock(by: .seconds(5))
        installation.renewKeys()
        let lines = try installation.log.split(separator: "\n").map { try JSONValue(parsing: String($0)).object ?? [:] }
            .filter { $0["event"] == "apple_keys" }
        #expect(lines.map { $0["level"] } == ["info", "warning", "error", "info"])
        #expect(lines.map { $0["usable"] } == [1, nil, nil, 1])
        #expect(lines.map { $0["fault"] } == [nil, "status 503", "status 503", nil])
        let ages = lines.map { $0["age"] }
        #expect(ages[1].flatMap(\.integer).map { (7200...7260).contains($0) } == true)
        #expect(ages[2] == .null)
    }
}
