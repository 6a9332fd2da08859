import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Logins by WeChat and QQ")
struct WeChatAndQQTests {
    private let fixture: ProviderFixture

    init() throws {
        fixture = try ProviderFixture()
    }

    private func refusal(_ response: TestResponse) -> String {
        "\(response.status) \(response.code ?? "") \(response["reason"]?.string ?? "")"
    }

    private var requests: JSONObject {
        get throws { try fixture.providers.control("/wechat/requests", method: "GET") }
    }

    @Test("A code signs in once, and is exchanged once, also by requests at the same moment")
    func once() throws {
        let code = try fixture.code("wechat", ["openid": "oAnn"])
        let answers = try Concurrently.run(6) { [fixture] _ in try fixture.logIn("wechat", code) }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        let refused = answers.filter { $0.status != 200 }.map(refusal)
        #expect(Set(refused) == ["401 invalid_identity replayed"])
        #expect(refusal(try fixture.logIn("wechat", code)) == "401 invalid_identity replayed")
        let requests = try requests.description
        #expect(requests.matches(of: /oauth2\/access_token/).count == 1, "\(requests)")
    }

    @Test("A code that was exchanged at one node is not exchanged at another")
    func otherNode() throws {
        let server = try #require(fixture.server as? InProcessServer)
        let other = try InProcessServer(beside: server)
        let code = try fixture.code("wechat", ["openid": "oAnn"])
        #expect(try fixture.logIn("wechat", code).status == 200)
        var body = code
        body["provider"] = "WECHAT"
        #expect(refusal(other.send(.post("/api/auth/identity", body))) == "401 invalid_identity replayed")
    }

    @Test("An error inside of an answer with status 200 is the client's, the operator's or the provider's")
    func error() throws {
        for (provider, number, expected) in [
            ("wechat", 40029, "401 invalid_identity code"), ("wechat", 40125, "503 provider_unavailable "),
            ("wechat", -1, "503 provider_unavailable "), ("qq", 100020, "401 invalid_identity code"),
            ("qq", 100009, "503 provider_unavailable "),
        ] as [(String, Int64, String)] {
            let code = try fixture.code(provider, ["fault": .integer(number)])
            #expect(refusal(try fixture.logIn(provider, code)) == expected, "\(provider) \(number)")
        }
    }

    @Test("An answer that is none is the provider's fault, and makes no user", arguments: ["wechat", "qq"])
    func broken(_ provider: String) throws {
        for mode in ["status", "close", "html", "huge", "redirect"] {
            let order: JSONObject = ["openid": .string("user-\(mode)")]
            _ = try fixture.providers.control("/\(provider)/faults", ["mode": .string(mode)])
            let refused = refusal(try fixture.logIn(provider, fixture.code(provider, order)))
            #expect(refused == "503 provider_unavailable ", "\(mode)")
            _ = try fixture.providers.control("/\(provider)/faults", [:])
            #expect(try fixture.logIn(provider, fixture.code(provider, order))["isNewUser"] == true, "\(mode)")
        }
    }

    @Test("The secret, the code and the nickname are in no line of the log, whatever fails")
    func log() throws {
        let server = try #require(fixture.server as? InProcessServer)
        var codes: [String] = []
        for (provider, number) in [("wechat", 40125), ("wechat", 40029), ("qq", 100009), ("wechat", 0)]
            as [(String, Int64)]
        {
            var order: JSONObject = ["nickname": "Nickname of Ann"]
            if number != 0 { order["fault"] = .integer(number) }
            let code = try fixture.code(provider, order)
            codes.append(code["code"]?.string ?? "none")
            _ = try fixture.logIn(provider, code)
        }
        for secret in codes + ["0123456789abcdef", "Nickname of Ann"] {
            #expect(!server.log.contains(secret), "\(secret)")
        }
        #expect(server.log.contains("(40125): correct its file"))
    }

    @Test("A unionid that WeChat sends later leads to the same user, and so do two openids with one unionid")
    func union() throws {
        let first = try fixture.logIn("wechat", fixture.code("wechat", ["openid": "oAnn", "union": false]))
        let later = try fixture.logIn("wechat", fixture.code("wechat", ["openid": "oAnn", "union": "uAnn"]))
        #expect(later.userID == first.userID)
        let otherApp = try fixture.logIn(
            "wechat", fixture.code("wechat", ["openid": "oAnnOfOtherApp", "union": "uAnn"]))
        #expect(otherApp.userID == first.userID)
        let export = try fixture.server.send(.get("/api/users/me/export", bearer: first.accessToken))
        let account = export["accounts"]?.array?.first?.object
        #expect(account?["userIdentifier"] == "oAnn" && account?["unionUserIdentifier"] == "uAnn")
    }

    @Test("Two users for the openid and the union are refused, and told to the operator")
    func twoUsers() throws {
        let server = try #require(fixture.server as? InProcessServer)
        let ann = try fixture.logIn("wechat", fixture.code("wechat", ["openid": "oA", "union": false]))
        let bob = try fixture.logIn("wechat", fixture.code("wechat", ["openid": "oB", "union": "u"]))
        let refused = try fixture.logIn("wechat", fixture.code("wechat", ["openid": "oA", "union": "u"]))
        #expect(refusal(refused) == "401 invalid_identity user")
        #expect(
            server.log.contains("identity_of_two_users") && server.log.contains(ann.userID)
                && server.log.contains(bob.userID))
        #expect(try fixture.isSignedIn(ann) && fixture.isSignedIn(bob))
    }

    @Test("QQ's access token signs in once, and again within a minute for a client that did not get the answer")
    func replayedAccessToken() throws {
        let fixture = try ProviderFixture()
        let server = try #require(fixture.server as? InProcessServer)
        let grant = try fixture.providers.control("/qq/mint", ["openid": "ABCDEF0123456789ABCDEF0123456780"])
        let credential: JSONObject = ["accessToken": grant["accessToken"] ?? .null]
        let first = try fixture.logIn("qq", credential)
        server.advanceClock(by: .seconds(59))
        #expect(try fixture.logIn("qq", credential).userID == first.userID)
        server.advanceClock(by: .seconds(2))
        #expect(refusal(try fixture.logIn("qq", credential)) == "401 invalid_identity replayed")
        server.advanceClock(by: .seconds(80 * 86_400))
        try server.runMaintenance()
        #expect(refusal(try fixture.logIn("qq", credential)) == "401 invalid_identity replayed")
        let next = try fixture.providers.control("/qq/mint", ["openid": "ABCDEF0123456789ABCDEF0123456780"])
        #expect(try fixture.logIn("qq", ["accessToken": next["accessToken"] ?? .null]).userID == first.userID)
    }

    @Test("QQ's access token counts only if it was issued to this app")
    func accessToken() throws {
        let own = try fixture.providers.control("/qq/mint", ["openid": "ABCDEF0123456789ABCDEF0123456789"])
        let credential: JSONObject = ["accessToken": own["accessToken"] ?? .null]
        let first = try fixture.logIn("qq", credential)
        #expect(first.status == 200 && first["isNewUser"] == true, "\(first.json)")
        #expect(try fixture.logIn("qq", credential).userID == first.userID)
        let foreign = try fixture.providers.control("/qq/mint", ["clientID": "100000001"])
        let refused = try fixture.logIn("qq", ["accessToken": foreign["accessToken"] ?? .null])
        #expect(refusal(refused) == "401 invalid_identity client")
        #expect(refusal(try fixture.logIn("qq", ["accessToken": "invented"])) == "401 invalid_identity code")
    }

    @Test("A login whose proof is refused for its nonce has not used up its code")
    func bound() throws {
        let fixture = try ProviderFixture { $0["DPOP_NONCE"] = "required" }
        var body = try fixture.code("wechat", ["openid": "oAnn"])
        body["provider"] = "WECHAT"
        let request = TestRequest.post("/api/auth/identity", body)
        let first = try fixture.server.send(request.proven(by: "wechat:P-256", at: fixture.server))
        #expect(first.status == 401 && first.code == "invalid_dpop_proof")
        let nonce = first.header("dpop-nonce")
        let second = try fixture.server.send(
            request.proven(by: "wechat:P-256", at: fixture.server) {
                $0.claims["nonce"] = nonce.map { .string(String($0)) }
            })
        #expect(second.status == 200 && second["tokenType"] == "DPoP", "\(second.json)")
    }

    @Test("Logins that wait for a WeChat that hangs are bounded, and other requests go on")
    func hanging() throws {
        let fixture = try ProviderFixture(.fastCGI) { $0["WORKERS"] = "16" }
        let user = try fixture.server.devLogin("a@example.com")
        let codes = try (0..<40).map { _ in try fixture.code("wechat") }
        _ = try fixture.providers.control("/wechat/faults", ["mode": "hang"])
        let answers = try Concurrently.run(41) { number in
            guard number < codes.count else {
                return try (0..<20).map { _ in try fixture.server.me(user.accessToken).status }
            }
            return [try fixture.logIn("wechat", codes[number]).status]
        }
        #expect(answers.filter { $0.count == 1 }.allSatisfy { $0 == [503] })
        #expect(answers.first { $0.count == 20 }?.allSatisfy { $0 == 200 } == true)
        _ = try fixture.providers.control("/wechat/faults", [:])
        // A login that was refused because too many waited has not used its code.
        let repeated = try codes.map { try fixture.logIn("wechat", $0) }
        #expect(repeated.filter { $0.status == 200 }.count >= 30)
    }
}
