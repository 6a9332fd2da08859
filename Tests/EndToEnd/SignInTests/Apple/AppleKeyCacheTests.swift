import Foundation
import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Cached Apple keys while Apple is unreachable")
struct AppleKeyCacheTests {
    private func login(_ server: any TestServer, _ subject: String = "001.kept") throws -> TestResponse {
        // The token must not expire while the test advances the clock.
        let body = server.apple.login(subject) { $0.claims = ["exp": 4_000_000_000] }
        return try server.send(.post("/api/auth/apple", body))
    }

    @Test("A killed server restarts with the stored keys and accepts logins")
    func killed() throws {
        let server = try ServerProcess()
        #expect(try login(server).status == 200)
        server.process.signal(SIGKILL)
        #expect(server.process.wait() == 128 + SIGKILL)
        server.apple.setKeyServerMode(.closing)
        try server.restart()
        #expect(try login(server).status == 200)
        #expect(
            try server.send(.post("/api/auth/apple", server.apple.forgedLogin())).code
                == "apple_keys_unavailable")
        #expect(Eventually.holds { server.process.log.contains("apple_keys_restored") })
    }

    @Test("A server without keys answers 503, and logins work once Apple is reachable")
    func noKeys() throws {
        let server = try ServerProcess(apple: .closing)
        // The next fetch that a login may cause is 30 seconds away.
        #expect(Eventually.holds { server.apple.fetches >= 1 })
        let response = try login(server)
        #expect(response.status == 503)
        #expect(response.code == "apple_keys_unavailable")
        #expect(response.header("retry-after") == "5")
        server.apple.resetKeyServer()
        #expect(Eventually.holds { (try? login(server).status) == 200 })
    }

    @Test("A restart does not extend the 48 hours")
    func restarts() throws {
        let server = try InProcessServer()
        #expect(try login(server).status == 200)
        server.apple.setKeyServerMode(.closing)
        for _ in 0..<3 {
            server.advanceClock(by: .seconds(15 * 3600))
            try server.restart()
            server.renewKeys()
            #expect(try login(server).status == 200)
        }
        server.advanceClock(by: .seconds(4 * 3600))
        #expect(try login(server).status == 503)
    }

    @Test("Keys that were fetched from another URL are not used")
    func otherAddress() throws {
        let server = try InProcessServer()
        #expect(try login(server).status == 200)
        server.apple.setKeyServerMode(.closing)
        try server.restart { $0["APPLE_JWKS_URL"]? += "?another" }
        #expect(try login(server).status == 503)
        try server.restart()
        #expect(try login(server).status == 200)
    }

    @Test("The log has the age of the keys at each failed fetch, their expiry and the recovery")
    func log() throws {
        let server = try InProcessServer()
        server.renewKeys()
        server.apple.setKeyServerMode(.replying(status: "503 Service Unavailable", text: "down"))
        for hours in [2, 46] {
            server.advanceClock(by: .seconds(hours * 3600))
            server.renewKeys()
        }
        server.apple.resetKeyServer()
        server.advanceClock(by: .seconds(5))
        server.renewKeys()
        let lines = try server.log.split(separator: "\n").map { try JSONValue(parsing: String($0)).object ?? [:] }
            .filter { $0["event"] == "apple_keys" }
        #expect(lines.map { $0["level"] } == ["info", "warning", "error", "info"])
        #expect(lines.map { $0["usable"] } == [1, nil, nil, 1])
        #expect(lines.map { $0["fault"] } == [nil, "status 503", "status 503", nil])
        let ages = lines.map { $0["age"] }
        #expect(ages[1].flatMap(\.integer).map { (7200...7260).contains($0) } == true)
        #expect(ages[2] == .null)
    }
}
