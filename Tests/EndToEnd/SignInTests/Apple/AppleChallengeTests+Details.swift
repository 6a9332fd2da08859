import FakeApple
import JSON
import Testing

@testable import ServerSupport

extension AppleChallengeTests {
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
        #expect(try detail({ $0.nonce = nonces[1] }, { $0["nonce"] = nil }).contains("the request has none"))
        #expect(try detail({ $0.nonce = nonces[1] }, { $0["nonce"] = .string(nonces[2]) }).contains("another nonce"))
        #expect(try detail({ _ in }, { $0["nonce"] = .string(nonces[1]) }).contains("the token has none"))
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
