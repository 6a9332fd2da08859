import JSON
import OpenSSL
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Challenges for logins with Apple")
struct AppleChallengeTests {
    private static let path = "/api/auth/apple"

    private func challenge(_ server: any TestServer) throws -> String {
        let response = try server.send(.post("/api/auth/apple/challenge", bearer: nil))
        return try #require(response["nonce"]?.string)
    }

    private func requiringChallenges() throws -> InProcessServer {
        try InProcessServer { $0["APPLE_NONCE"] = "challenge" }
    }

    /// Returns "200" or the reason of the refusal.
    private func verdict(_ server: any TestServer, _ login: JSONObject) throws -> String {
        let response = try server.send(.post(Self.path, login))
        return response["reason"]?.string ?? "\(response.status)"
    }

    private func hexadecimal(_ text: String) -> String {
        SHA256.hash(Array(text.utf8)).map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    }

    @Test("Each challenge is a new nonce that is valid for ten minutes", arguments: TestEnvironment.allCases)
    func response(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let responses = try (0..<10).map { _ in try server.send(.post("/api/auth/apple/challenge", bearer: nil)) }
        for response in responses {
            #expect(response.status == 200)
            #expect(response.json.names == ["nonce", "expiresIn"])
            #expect(response["expiresIn"]?.integer == 600)
            #expect(response.header("cache-control") == "no-store")
        }
        let nonces = responses.compactMap { $0["nonce"]?.string }
        #expect(Set(nonces).count == 10)
        for nonce in nonces { #expect(nonce.wholeMatch(of: /[A-Za-z0-9_-]{1,63}/) != nil) }
    }

    @Test("A challenge is accepted with one identity token, raw or hashed", arguments: [true, false])
    func once(isHashed: Bool) throws {
        let server = try SharedServers.standard(.handler)
        let nonce = try challenge(server)
        func login() -> JSONObject {
            server.apple.login("001.challenge-\(isHashed)") {
                $0.nonce = nonce
                if isHashed { $0.claims = ["nonce": .string(hexadecimal(nonce))] }
            }
        }
        let first = login()
        #expect(try verdict(server, first) == "200")
        #expect(try verdict(server, first) == "200", "a lost response")
        #expect(try verdict(server, login()) == "nonce")
        #expect(try verdict(server, first) == "200", "the refused login changed nothing")
    }

    @Test("A refused login does not use up its challenge, and a used one ends with the replay grace")
    func refused() throws {
        let server = try requiringChallenges()
        let nonce = try challenge(server)
        let login = server.apple.login("001.c") { $0.nonce = nonce }
        var wrong = login
        wrong["authorizationCode"] = "another"
        #expect(try verdict(server, wrong) == "code")
        #expect(try verdict(server, server.apple.login("001.c") { $0.nonce = "another" }) == "nonce")
        #expect(try verdict(server, login) == "200")
        server.advanceClock(by: .seconds(61))
        #expect(try verdict(server, login) == "replayed")
    }

    @Test("Of 64 concurrent tokens with the same challenge, one is accepted")
    func concurrentTokens() throws {
        let server = try SharedServers.standard(.handler)
        // The keys are there now. A crowd that comes before them waits a second at most.
        #expect(try verdict(server, server.apple.login("001.first")) == "200")
        let nonce = try challenge(server)
        let logins = (0..<64).map { number in server.apple.login("001.crowd-\(number)") { $0.nonce = nonce } }
        let verdicts = try Concurrently.run(64) { try verdict(server, logins[$0]) }
        #expect(verdicts.count { $0 == "200" } == 1)
        #expect(Set(verdicts) == ["200", "nonce"])
    }

    @Test(
        "An expired challenge is refused, even where challenges are optional",
        arguments: ["optional", "required", "challenge"])
    func expired(rule: String) throws {
        let server = try InProcessServer { $0["APPLE_NONCE"] = rule }
        let nonces = try (0..<2).map { _ in try challenge(server) }
        server.advanceClock(by: .seconds(570))
        #expect(try verdict(server, server.apple.login("001.e") { $0.nonce = nonces[0] }) == "200")
        server.advanceClock(by: .seconds(30))
        #expect(try verdict(server, server.apple.login("001.e") { $0.nonce = nonces[1] }) == "nonce")
    }

    @Test("A challenge survives a secret rotation while the previous secret is configured")
    func rotation() throws {
        let server = try requiringChallenges()
        let nonces = try (0..<2).map { _ in try challenge(server) }
        let next = TestSettings.refreshSecret + " of next year"
        try server.restart {
            $0["JWT_REFRESH_SECRET"] = next
            $0["JWT_REFRESH_SECRET_PREVIOUS"] = TestSettings.refreshSecret
        }
        #expect(try verdict(server, server.apple.login("001.r") { $0.nonce = nonces[0] }) == "200")
        #expect(try verdict(server, server.apple.login("001.r") { $0.nonce = nonces[0] }) == "nonce")
        try server.restart { $0["JWT_REFRESH_SECRET"] = next }
        #expect(try verdict(server, server.apple.login("001.r") { $0.nonce = nonces[1] }) == "nonce")
    }

    @Test("Where challenges are required, no other nonce is accepted")
    func required() throws {
        let server = try requiringChallenges()
        func attempt(_ adjust: (inout MintOrder) -> Void) throws -> String {
            try verdict(server, server.apple.login("001.d", adjust))
        }
        #expect(try attempt { _ in } == "nonce")
        #expect(try attempt { $0.nonce = "a nonce of the app's own" } == "nonce")
        #expect(try attempt { $0.claims = ["nonce_supported": false] } == "nonce")
        let nonce = try challenge(server)
        var bare = server.apple.login("001.d") { $0.claims = ["nonce_supported": false] }
        bare["nonce"] = .string(nonce)
        #expect(try verdict(server, bare) == "nonce", "the token must contain the nonce")
        #expect(try attempt { $0.nonce = nonce } == "200")
        // Checks that come earlier in the contract are reported first.
        #expect(try attempt { $0.header = ["alg": "none"] } == "algorithm")
        #expect(try attempt { $0.claims = ["aud": "another"] } == "audience")
    }

    /// The thief of a token can read its `nonce` claim, but not the text whose hash it is.
    @Test(
        "Only a challenge protects against a stolen identity token, a hashed nonce of the app does not",
        arguments: ["optional", "required", "challenge"])
    func stolenToken(rule: String) throws {
        let server = try InProcessServer { $0["APPLE_NONCE"] = rule }
        let nonce = rule == "challenge" ? try challenge(server) : "the app's own"
        let login = server.apple.login("001.s") {
            $0.nonce = nonce
            $0.claims = ["nonce": .string(hexadecimal(nonce))]
        }
        var stolen = login
        stolen["nonce"] = .string(hexadecimal(nonce))
        #expect(try verdict(server, stolen) == (rule == "challenge" ? "nonce" : "200"))
        stolen["nonce"] = .string(try challenge(server))
        #expect(try verdict(server, stolen) == "nonce", "another challenge")
        #expect(try verdict(server, login) == "200")
    }

    @Test("A challenge is not stored until it is used")
    func nothingKept() throws {
        let server = try InProcessServer()
        _ = server.send(.post(Self.path, server.apple.login("001.k")))
        let before = try TableRowCounts.read(from: server.testDatabase)
        var last = ""
        for _ in 0..<500 { last = try challenge(server) }
        #expect(try TableRowCounts.read(from: server.testDatabase) == before)
        #expect(try verdict(server, server.apple.login("001.k") { $0.nonce = last }) == "200")
        let after = try TableRowCounts.read(from: server.testDatabase)
        #expect((after["redemptions"] ?? 0) - (before["redemptions"] ?? 0) == 2)
    }

    @Test("The detail says why the nonce is refused", arguments: [false, true])
    func details(isRequired: Bool) throws {
        let server = try isRequired ? requiringChallenges() : InProcessServer()
        func detail(_ adjust: (inout MintOrder) -> Void, _ change: (inout JSONObject) -> Void = { _ in }) throws
            -> String
        {
            var body = server.apple.login("001.why", adjust)
            change(&body)
            let response = server.send(.post(Self.path, body))
            #expect(response.status == 401 && response["reason"] == "nonce")
            return response["detail"]?.string ?? ""
        }
        let nonces = try (0..<3).map { _ in try challenge(server) }
        #expect(try verdict(server, server.apple.login("001.why") { $0.nonce = nonces[0] }) == "200")
        #expect(try detail { $0.nonce = nonces[0] }.contains("has been used with another token"))
        let hashed = hexadecimal(nonces[1])
        #expect(try detail({ $0.nonce = nonces[1] }, { $0["nonce"] = .string(hashed) }).contains("other way round"))
        let upper = hashed.uppercased()
        #expect(
            try detail({ $0.nonce = upper }, { $0["nonce"] = .string(nonces[1]) }).contains("lowercase hexadecimal"))
        server.advanceClock(by: .seconds(600))
        #expect(try detail { $0.nonce = nonces[1] }.contains("has expired: it is valid for 10 minutes"))
        guard isRequired else { return }
        #expect(
            try detail { _ in }.contains("requires a nonce of POST /api/auth/challenge, and the request has none")
        )
        #expect(try detail { $0.nonce = "the app's own" }.contains("the request has another one"))
        #expect(
            try detail({ $0.claims = ["nonce_supported": false] }, { $0["nonce"] = .string(nonces[2]) })
                .contains("does not support nonces"))
    }

    @Test("Where a nonce is required, the refusal of a login without one says so")
    func requiredDetail() throws {
        let server = try InProcessServer { $0["APPLE_NONCE"] = "required" }
        let response = server.send(.post(Self.path, server.apple.login("001.none")))
        #expect(response["reason"] == "nonce")
        #expect(response["detail"]?.string?.contains("requires a nonce (APPLE_NONCE)") == true)
    }

    @Test("A used challenge is named at linking and at proving a login too")
    func usedElsewhere() throws {
        let server = try InProcessServer { $0["SENSITIVE_MAX_AGE"] = "10m" }
        let nonce = try challenge(server)
        #expect(try verdict(server, server.apple.login("001.first") { $0.nonce = nonce }) == "200")
        let other = try server.devLogin("other@example.com")
        let link = server.apple.login("001.second") { $0.nonce = nonce }
        let refused = server.send(.post("/api/users/me/accounts/apple", link, bearer: other.accessToken))
        #expect(refused.status == 422 && refused["reason"] == "nonce")
        #expect(refused["detail"]?.string?.contains("has been used with another token") == true)
        #expect(refused.header("www-authenticate") == nil)
    }
}
