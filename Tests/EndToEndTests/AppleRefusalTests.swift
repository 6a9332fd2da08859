import FakeApple
import JSON
import Testing

@Suite("An identity token that is not to be believed")
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
        Case(reason: "unknown_key", fetches: 1) { $0.header = ["kid": "NOBODY"] },
    ]

    @Test("is refused with its reason, and costs no more fetches than it must", arguments: cases)
    func refused(_ given: Case) throws {
        let house = try InProcessHouse()
        #expect(house.send(.post("/api/auth/apple", house.apple.login("001.known"))).status == 200)
        let before = house.apple.fetches
        for _ in 0..<3 {
            let answer = house.send(.post("/api/auth/apple", house.apple.login("001.bad", given.adjust)))
            #expect(answer.status == 401)
            #expect(answer.code == "invalid_apple_token")
            #expect(answer["reason"]?.string == given.reason)
        }
        // The first login has fetched; within the cooldown nobody fetches again.
        #expect(house.apple.fetches == before)
        house.setForward(by: .seconds(31))
        for _ in 0..<3 { _ = house.send(.post("/api/auth/apple", house.apple.login("001.bad", given.adjust))) }
        #expect(house.apple.fetches == before + given.fetches)
    }

    @Test("is refused when it does not belong to the request that brings it", arguments: World.allCases)
    func foreignRequest(_ world: World) throws {
        let house = try Houses.of(world)
        func reason(_ change: (inout JSONObject) -> Void) throws -> String? {
            var body = house.apple.login("001.bound-\(world)") { $0.nonce = "n-1" }
            change(&body)
            return try house.send(.post("/api/auth/apple", body))["reason"]?.string
        }
        #expect(try reason { $0["nonce"] = "n-2" } == "nonce")
        #expect(try reason { $0["nonce"] = nil } == "nonce")
        #expect(try reason { $0["authorizationCode"] = "another" } == "code")
        #expect(try reason { $0["userIdentifier"] = "another" } == "user")
        #expect(try reason { _ in } == nil)
    }

    @Test("cannot be told from a good one while Apple's keys cannot be had")
    func keysUnavailable() throws {
        let house = try InProcessHouse()
        house.apple.misbehave(.replying(status: "500 Internal Server Error", text: "down"))
        let answer = house.send(.post("/api/auth/apple", house.apple.login("001.down")))
        #expect(answer.status == 503)
        #expect(answer.code == "apple_keys_unavailable")
        #expect(answer.header("retry-after") != nil)
        house.apple.behave()
        house.setForward(by: .seconds(31))
        #expect(house.send(.post("/api/auth/apple", house.apple.login("001.down"))).status == 200)
    }
}
