import FakeApple
import JSON
import Testing

@Suite("Refused identity tokens")
struct AppleRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let reason: String
        let fetches: Int
        let adjust: @Sendable (inout MintOrder) -> Void
        var testDescription: String { reason }
    }

    static let cases: [Case] = [
        Case(reason: "algorithm", fetches: 0) { $0.header = ["alg": "none"] },
        Case(reason: "algorithm", fetches: 0) { $0.header = ["alg": "HS256"] },
        Case(reason: "malformed", fetches: 0) { $0.header = ["crit": ["b64"]] },
        Case(reason: "malformed", fetches: 0) { $0.header = ["kid": nil] },
        Case(reason: "malformed", fetches: 0) { $0.claims = ["events": "{}"] },
        Case(reason: "issuer", fetches: 0) { $0.claims = ["iss": "https://evil.example"] },
        Case(reason: "audience", fetches: 0) { $0.audience = "com.example.other" },
        Case(reason: "expired", fetches: 0) { $0.claims = ["exp": 1_600_000_000] },
        Case(reason: "not_yet_valid", fetches: 0) { $0.claims = ["iat": 4_000_000_000, "exp": 4_000_086_400] },
        Case(reason: "unknown_key", fetches: 1) { $0.header = ["kid": "UNKNOWN"] },
    ]

    @Test("An invalid token is refused with its reason and causes no extra key fetch", arguments: cases)
    func refused(_ given: Case) throws {
        let installation = try InProcessInstallation()
        #expect(installation.send(.post("/api/auth/apple", installation.apple.login("001.known"))).status == 200)
        let before = installation.apple.fetches
        for _ in 0..<3 {
            let response = installation.send(
                .post("/api/auth/apple", installation.apple.login("001.bad", given.adjust)))
            #expect(response.status == 401)
            #expect(response.code == "invalid_apple_token")
            #expect(response["reason"]?.string == given.reason)
        }
        // The first login fetched the keys. No other login fetches during the cooldown.
        #expect(installation.apple.fetches == before)
        installation.advanceClock(by: .seconds(31))
        for _ in 0..<3 {
            _ = installation.send(.post("/api/auth/apple", installation.apple.login("001.bad", given.adjust)))
        }
        #expect(installation.apple.fetches == before + given.fetches)
    }

    @Test("A token that does not match the request is refused", arguments: TestEnvironment.allCases)
    func foreignRequest(_ environment: TestEnvironment) throws {
        let installation = try SharedInstallations.standard(environment)
        func reason(_ change: (inout JSONObject) -> Void) throws -> String? {
            var body = installation.apple.login("001.bound-\(environment)") { $0.nonce = "n-1" }
            change(&body)
            return try installation.send(.post("/api/auth/apple", body))["reason"]?.string
        }
        #expect(try reason { $0["nonce"] = "n-2" } == "nonce")
        #expect(try reason { $0["nonce"] = nil } == "nonce")
        #expect(try reason { $0["authorizationCode"] = "another" } == "code")
        #expect(try reason { $0["userIdentifier"] = "another" } == "user")
        #expect(try reason { _ in } == nil)
    }

    @Test("Without Apple's keys, a login gets 503 and can be retried")
    func keysUnavailable() throws {
        let installation = try InProcessInstallation()
        installation.apple.setKeyServerMode(.replying(status: "500 Internal Server Error", text: "down"))
        let response = installation.send(.post("/api/auth/apple", installation.apple.login("001.down")))
        #expect(response.status == 503)
        #expect(response.code == "apple_keys_unavailable")
        #expect(response.header("retry-after") != nil)
        installation.apple.resetKeyServer()
        installation.advanceClock(by: .seconds(31))
        #expect(installation.send(.post("/api/auth/apple", installation.apple.login("001.down"))).status == 200)
    }
}
