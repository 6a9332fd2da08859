import Foundation
import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// What an app does that has a token of one-tap sign-in.
extension CodeFixture {
    func token(_ order: JSONObject) throws -> JSONObject { try providers.control("/number/mint", order) }

    func token(of number: String) throws -> JSONObject { try token(["phone": .string(number)]) }

    func logIn(token: JSONObject) throws -> TestResponse { try server.send(.post("/api/auth/number", token)) }

    func bind(token: JSONObject, to login: TestResponse, _ more: JSONObject = [:]) throws -> TestResponse {
        var body = more
        for name in token.names { body[name] = token[name] }
        if more["onTaken"] == "join", more["refreshToken"] == nil { body["refreshToken"] = login["refreshToken"] }
        return try server.send(.post("/api/users/me/accounts/number", body, bearer: login.accessToken))
    }

    /// How often the receiver was asked.
    var questions: Int {
        get throws {
            try providers.control("/number/requests", method: "GET")["requests"]?.array?.count ?? 0
        }
    }
}

@Suite("Logins by one tap")
struct NumberLoginTests {
    private let fixture: CodeFixture
    private let server: InProcessServer

    init() throws {
        fixture = try CodeFixture()
        server = try #require(fixture.server as? InProcessServer)
    }

    @Test(
        "A number becomes a user, who signs in by a code and by another token as well",
        arguments: TestEnvironment.allCases)
    func numbers(_ environment: TestEnvironment) throws {
        let fixture = try CodeFixture(environment)
        let number = fixture.newNumber()
        var body = try fixture.token(of: number)
        body["nickname"] = "Ann"
        let first = try fixture.logIn(token: body)
        #expect(first.status == 200 && first["isNewUser"] == true, "\(first.json)")
        let user = first["user"]?.object
        #expect(user?["phone"] == .string(number) && user?["nickname"] == "Ann" && user?["email"] == .null)
        let byCode = try fixture.logIn(phone: number)
        #expect(byCode.userID == first.userID && byCode["isNewUser"] == false)
        let again = try fixture.logIn(token: fixture.token(of: number))
        #expect(again.userID == first.userID && again["isNewUser"] == false)
        #expect(try fixture.me(again)["phone"] == .string(number))
        let sessions = try fixture.server.send(.get("/api/users/me/sessions", bearer: again.accessToken))
        let all = sessions["sessions"]?.array ?? []
        #expect(all.count == 3 && all.allSatisfy { $0.object?["provider"] == "PHONE" })
    }

    @Test("A token is exchanged once, also by 32 requests at the same moment at two nodes")
    func once() throws {
        let other = try InProcessServer(beside: server)
        var token = try fixture.token(of: fixture.newNumber())
        let request = TestRequest.post("/api/auth/number", token)
        let answers = try Concurrently.run(32) { index in (index % 2 == 0 ? server : other).send(request) }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        // A gate that is full leaves the token as it is.
        let refused: Set = ["401 invalid_identity replayed", "503 provider_unavailable"]
        #expect(refused.isSuperset(of: answers.filter { $0.status != 200 }.map(fixture.refusal)))
        #expect(fixture.refusal(other.send(request)) == "401 invalid_identity replayed")
        token["gateway"] = "ALIYUN"
        #expect(try fixture.refusal(fixture.logIn(token: token)) == "401 invalid_identity replayed")
        #expect(try fixture.questions == 1)
    }

    @Test("An invented, an expired and another gateway's token are refused, and tell the app to get another one")
    func refused() throws {
        var foreign = try fixture.token(of: fixture.newNumber())
        foreign["gateway"] = "jpush"
        let invented: JSONObject = ["gateway": "aliyun", "token": "invented"]
        let login = try server.devLogin("refused@example.com")
        for token in [invented, try fixture.token(["expired": true]), foreign] {
            let answer = try fixture.logIn(token: token)
            #expect(fixture.refusal(answer) == "401 invalid_identity code")
            #expect(answer["detail"]?.string?.contains("sign in by a code") == true)
            #expect(fixture.refusal(try fixture.bind(token: token, to: login)) == "422 invalid_identity replayed")
        }
        let other: JSONObject = ["gateway": "aliyun", "token": "another"]
        #expect(fixture.refusal(try fixture.bind(token: other, to: login)) == "422 invalid_identity code")
    }

    @Test(
        "A body that cannot be a token is refused before it is used or handed on",
        arguments: [
            ["gateway": "aliyun"], ["token": "t"], ["gateway": "", "token": "t"], ["gateway": "a", "token": ""],
            ["gateway": "a b", "token": "t"], ["gateway": "a", "token": "t\n"], ["gateway": "a", "token": " t"],
            ["gateway": "a", "token": "令牌"], ["gateway": 1, "token": "t"], ["gateway": "a", "token": ["t"]],
            ["gateway": .string(String(repeating: "a", count: 33)), "token": "t"],
            ["gateway": "a", "token": .string(String(repeating: "t", count: 4097))],
        ] as [JSONObject])
    func malformed(_ body: JSONObject) throws {
        #expect(try fixture.refusal(fixture.logIn(token: body)) == "400 invalid_request")
        let login = try server.devLogin("malformed@example.com")
        #expect(try fixture.refusal(fixture.bind(token: body, to: login)) == "400 invalid_request")
        #expect(try fixture.questions == 0)
    }

    @Test(
        "An answer that is none is the receiver's fault: it makes no user, and the log tells it without the token",
        arguments: [
            [:], ["phone": ""], ["phone": "13800138000"], ["phone": "+86 138 0013 8000"], ["phone": 8_613_800_138_000],
            ["phone": "+861"], ["phone": "+0013800138000"], ["phone": .null], ["phone": ["+8613800138000"]],
            ["phone": "+8613800138000", "error": "invalid_token"], ["phone": .null, "error": .null],
            ["error": "INVALID_TOKEN"], ["error": "other"], ["phone": "+9991234567890"],
        ] as [JSONObject])
    func unreadable(_ answer: JSONObject) throws {
        let token = try fixture.token(["answer": .object(answer)])
        let refused = try fixture.logIn(token: token)
        #expect(fixture.refusal(refused) == "503 provider_unavailable")
        #expect(server.log.contains("neither a phone in E.164 nor the error"))
        #expect(!server.log.contains(token["token"]?.string ?? "none") && !server.log.contains("138"))
        #expect(try server.testDatabase.number("SELECT count(*) FROM users") == 0)
    }

    @Test("A member of an answer that is null is none")
    func null() throws {
        let good = try fixture.token(["answer": ["phone": "+8613800138000", "error": .null]])
        #expect(try fixture.logIn(token: good).status == 200)
        let bad = try fixture.token(["answer": ["phone": .null, "error": "invalid_token"]])
        #expect(try fixture.refusal(fixture.logIn(token: bad)) == "401 invalid_identity code")
    }

    @Test("A receiver that fails is a 503, uses the token up, and stops nobody else")
    func broken() throws {
        for mode in ["status", "close", "html", "huge", "redirect"] {
            try fixture.providers.control("/number/faults", ["mode": .string(mode)])
            let token = try fixture.token(of: fixture.newNumber())
            #expect(try fixture.refusal(fixture.logIn(token: token)) == "503 provider_unavailable", "\(mode)")
            try fixture.providers.control("/number/faults")
            #expect(try fixture.refusal(fixture.logIn(token: token)) == "401 invalid_identity replayed", "\(mode)")
            #expect(try fixture.logIn(token: fixture.token(of: fixture.newNumber())).status == 200, "\(mode)")
        }
        try fixture.providers.control("/number/settings", ["secret": .string(WebhookKeys.usualSecret)])
        let unsigned = try fixture.token(of: fixture.newNumber())
        #expect(try fixture.refusal(fixture.logIn(token: unsigned)) == "503 provider_unavailable")
        #expect(server.log.contains("status 401: it refuses the signature, or its time: compare NUMBER_SECRET"))
    }

    @Test("While a receiver hangs, other logins are answered, and those that wait for it end after five seconds")
    func hanging() throws {
        let fixture = try CodeFixture(.fastCGI) { $0["WORKERS"] = "16" }
        try fixture.providers.control("/number/faults", ["mode": "hang"])
        let tokens = try (0..<8).map { _ in try fixture.token(of: fixture.newNumber()) }
        let waiting = Background {
            let answers = try? Concurrently.run(tokens.count) { try fixture.logIn(token: tokens[$0]) }
            return Array((answers ?? []).map(fixture.refusal).joined(separator: ",").utf8)
        }
        for index in 0..<20 {
            #expect(try fixture.server.devLogin("beside-\(index)@example.com").status == 200)
        }
        let refusals = String(decoding: waiting.result(), as: UTF8.self).split(separator: ",")
        #expect(refusals.count == 8 && Set(refusals) == ["503 provider_unavailable"])
        try fixture.providers.control("/number/faults")
    }

    @Test("A kill while the receiver is asked uses the token up")
    func kill() throws {
        let fixture = try CodeFixture(.fastCGI)
        let process = try #require(fixture.server as? ServerProcess)
        try fixture.providers.control("/number/faults", ["mode": "hang"])
        let token = try fixture.token(of: fixture.newNumber())
        let waiting = Background { Array(((try? fixture.logIn(token: token)).map(fixture.refusal) ?? "lost").utf8) }
        #expect(try Eventually.holds { try fixture.questions > 0 })
        process.process.signal(SIGKILL)
        _ = (process.process.wait(), waiting.result())
        try fixture.providers.control("/number/faults")
        try process.restart()
        #expect(try fixture.refusal(fixture.logIn(token: token)) == "401 invalid_identity replayed")
        #expect(try fixture.questions == 1)
    }

    @Test("A number of another country, or another kind, is not served, unless it has an account already")
    func notServed() throws {
        let (foreign, fixed) = ("+12025550123", "+861012345678")
        for number in [foreign, fixed] {
            let answer = try fixture.logIn(token: fixture.token(of: number))
            #expect(fixture.refusal(answer) == "422 country_not_served", "\(number)")
        }
        let date = Date(timeIntervalSinceNow: 86_400).description.prefix(10)
        let reviewed = try CodeFixture { $0["TEST_CODES"] = "\(foreign)=739154@\(date)" }
        #expect(try reviewed.refusal(reviewed.logIn(token: reviewed.token(of: foreign))) == "422 country_not_served")
        let open = try CodeFixture { $0["PHONE_KINDS"] = "mobile,fixed" }
        let first = try open.logIn(token: open.token(of: fixed))
        #expect(first.status == 200, "\(first.json)")
        try (open.server as? InProcessServer)?.restart { $0["PHONE_KINDS"] = "mobile" }
        #expect(try open.logIn(token: open.token(of: fixed)).userID == first.userID)
    }

    @Test("Without NUMBER_URL there is no such login, and a token is not used")
    func off() throws {
        let off = try CodeFixture { $0["NUMBER_URL"] = nil }
        let token = try fixture.token(of: fixture.newNumber())
        #expect(try off.refusal(off.logIn(token: token)) == "404 unknown_provider")
        let login = try off.server.devLogin("off@example.com")
        #expect(try off.refusal(off.bind(token: token, to: login)) == "404 unknown_provider")
        #expect(try off.server.send(.get("/api/auth/ways"))["number"] == false)
        #expect(server.send(.get("/api/auth/ways"))["number"] == true)
        #expect(try fixture.logIn(token: token).status == 200)
        let unlinked = try off.server.delete("/api/users/me/accounts/number", login)
        #expect(off.refusal(unlinked) == "404 unknown_provider", "the account is called phone")
    }

    @Test("A login whose proof is refused for its nonce has not used up its token")
    func nonce() throws {
        let fixture = try CodeFixture { $0["DPOP_NONCE"] = "required" }
        let token = try fixture.token(of: fixture.newNumber())
        var request = TestRequest.post("/api/auth/number", token)
        request.headers.append(("DPoP", "x.y.z"))
        #expect(try fixture.server.send(request).code == "invalid_dpop_proof")
        #expect(try fixture.logIn(token: token).status == 200)
    }

    @Test("Metrics tell what became of the tokens, and count no code")
    func metrics() throws {
        _ = try fixture.logIn(token: fixture.token(of: fixture.newNumber()))
        _ = try fixture.logIn(token: ["gateway": "aliyun", "token": "invented"])
        _ = try fixture.logIn(token: ["gateway": "aliyun", "token": "invented"])
        _ = try fixture.logIn(token: fixture.token(of: "+12025550123"))
        let text = String(decoding: server.send(.get("/metrics")).body, as: UTF8.self)
        for (outcome, count) in [("number", 1), ("refused", 1), ("replayed", 1), ("not_served", 1), ("unavailable", 0)]
        {
            #expect(text.contains("gatehouse_number_tokens_total{outcome=\"\(outcome)\"} \(count)"), "\(outcome)")
        }
        for result in ["new_user", "code", "replayed", "country_not_served"] {
            #expect(text.contains("gatehouse_logins_total{provider=\"phone\",result=\"\(result)\"} 1"), "\(result)")
        }
        #expect(text.contains("gatehouse_codes_used_total{channel=\"phone\"} 0"))
    }
}

@Suite("Binding by one tap")
struct NumberBindingTests {
    private let fixture: CodeFixture
    private let server: InProcessServer

    init() throws {
        fixture = try CodeFixture { $0["PHONE_BINDING"] = "required" }
        server = try #require(fixture.server as? InProcessServer)
    }

    @Test("A user who has to have a number binds it by one tap, also where no SMS is sent")
    func bound() throws {
        let fixture = try CodeFixture { variables in
            variables["PHONE_BINDING"] = "required"
            variables["SMS_URL"] = nil
        }
        let login = try fixture.server.devLogin("bound@example.com")
        #expect(
            try fixture.refusal(fixture.server.send(.get("/api/auth/verify", bearer: login.accessToken)))
                == "403 phone_required")
        let number = fixture.newNumber()
        let answer = try fixture.bind(token: fixture.token(of: number), to: login)
        #expect(answer.status == 200 && answer["accounts"]?.array?.count == 2, "\(answer.json)")
        #expect(try fixture.me(login)["phone"] == .string(number))
        let second = try fixture.bind(token: fixture.token(of: fixture.newNumber()), to: login)
        #expect(fixture.refusal(second) == "409 account_already_linked provider")
        let next = fixture.newNumber()
        #expect(try fixture.bind(token: fixture.token(of: next), to: login, ["replace": true]).status == 200)
        #expect(try fixture.me(login)["phone"] == .string(next))
    }

    @Test("A number of another user is refused, and joined on demand by a new user who sends the refresh token")
    func join() throws {
        let number = fixture.newNumber()
        let owner = try fixture.logIn(token: fixture.token(of: number))
        let shell = try server.devLogin("shell@example.com")
        let refused = try fixture.bind(token: fixture.token(of: number), to: shell)
        #expect(fixture.refusal(refused) == "409 account_already_linked identity")
        let thief: JSONObject = ["onTaken": "join", "refreshToken": .string("x")]
        let unused = try fixture.token(of: number)
        #expect(try fixture.refusal(fixture.bind(token: unused, to: shell, thief)) == "422 invalid_refresh_token")
        let joined = try fixture.bind(token: unused, to: shell, ["onTaken": "join"])
        #expect(joined.status == 200 && joined.userID == owner.userID, "\(joined.json)")
        #expect(try fixture.me(shell).status == 401)
        #expect(try server.devLogin("shell@example.com").userID == owner.userID)
    }

    @Test("A login too old to change a number, and a superseded refresh token, are refused before the token is used")
    func old() throws {
        let login = try fixture.logIn(token: fixture.token(of: fixture.newNumber()))
        server.advanceClock(by: .seconds(3700))
        let late = server.send(.refresh(login.refreshToken))
        let token = try fixture.token(of: fixture.newNumber())
        #expect(try fixture.refusal(fixture.bind(token: token, to: late, ["replace": true])) == "401 login_too_old")
        let both: JSONObject = ["onTaken": "join", "replace": true]
        #expect(try fixture.refusal(fixture.bind(token: token, to: late, both)) == "401 login_too_old")
        let superseded: JSONObject = ["onTaken": "join", "refreshToken": .string(login.refreshToken)]
        let refused = try fixture.refusal(fixture.bind(token: token, to: late, superseded))
        #expect(refused == "422 invalid_refresh_token")
        #expect(try fixture.logIn(token: token).status == 200)
    }

    @Test("A stale number alone does not sign in to an account that has another login")
    func stale() throws {
        let fixture = try CodeFixture { $0["PHONE_STALE_AFTER"] = "90d" }
        let server = try #require(fixture.server as? InProcessServer)
        let number = fixture.newNumber()
        let owner = try server.devLogin("stale@example.com")
        #expect(try fixture.bind(token: fixture.token(of: number), to: owner).status == 200)
        server.advanceClock(by: .seconds(91 * 86_400))
        #expect(try fixture.refusal(fixture.logIn(token: fixture.token(of: number))) == "403 stale_number")
        let shell = try server.devLogin("stale-shell@example.com")
        let refused = try fixture.bind(token: fixture.token(of: number), to: shell, ["onTaken": "join"])
        #expect(fixture.refusal(refused) == "403 stale_number")
    }

    @Test("A request without an access token is refused before the token is used")
    func unauthenticated() throws {
        let token = try fixture.token(of: fixture.newNumber())
        #expect(server.send(.post("/api/users/me/accounts/number", token)).status == 401)
        #expect(try fixture.questions == 0)
    }
}
