import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// The attacks of RFC 9700 on the callback.
@Suite("Attacks on the callback")
struct CallbackAttackTests {
    private let fixture: WebSignInFixture

    init() throws {
        fixture = try WebSignInFixture()
    }

    private func isRefused(_ answer: TestResponse) -> Bool {
        answer.status == 400 && answer.header("location") == nil
            && String(decoding: answer.body, as: UTF8.self).contains("invalid_state")
    }

    private func code(in answer: TestResponse) -> String? {
        TestBrowser.arrival(at: answer.header("location") ?? "").parameters["code"]
    }

    private func error(in answer: TestResponse) -> String? {
        TestBrowser.arrival(at: answer.header("location") ?? "").parameters["error"]
    }

    /// Signs in at a provider whose next answer is changed. On a busy machine the stand-in may answer too late for the server,
    /// and the user tries again.
    private func signIn(changing changes: JSONObject) throws -> TestResponse {
        var answer: TestResponse
        var attempts = 0
        repeat {
            try fixture.providers.control("/openid/acme/answers", changes)
            let browser = fixture.browser()
            answer = try browser.callBack(browser.arrive(as: "ann@example.com"))
            attempts += 1
        } while error(in: answer) == "temporarily_unavailable" && attempts < 10
        return answer
    }

    @Test(
        "Two browsers that swap their addresses get nothing, and both go on with their own",
        arguments: ["acme", "apple"])
    func swapped(_ provider: String) throws {
        let (attacker, victim) = (fixture.browser(), fixture.browser())
        let attackers = try attacker.arrive(provider, as: "mallory@example.com")
        let victims = try victim.arrive(provider, as: "ann@example.com")
        #expect(isRefused(try victim.callBack(attackers)))
        #expect(isRefused(try attacker.callBack(victims)))
        #expect(isRefused(try fixture.browser().callBack(victims)), "a browser without a cookie")
        #expect(code(in: try victim.callBack(victims)) != nil)
        #expect(code(in: try attacker.callBack(attackers)) != nil)
    }

    @Test("A cookie that was set beside the browser's own leaves it without one")
    func tossed() throws {
        let browser = fixture.browser()
        let own = try browser.arrive(as: "ann@example.com")
        let cookie = try #require(browser.cookies["__Host-gatehouse-login"])
        let attacker = fixture.browser()
        let attackers = try attacker.arrive(as: "mallory@example.com")
        let tossed = try #require(attacker.cookies["__Host-gatehouse-login"])
        for field in ["\(tossed); __Host-gatehouse-login=\(cookie)", "\(cookie); __Host-gatehouse-login=\(tossed)"] {
            browser.cookies["__Host-gatehouse-login"] = field
            #expect(isRefused(try browser.callBack(attackers)))
            #expect(isRefused(try browser.callBack(own)))
        }
        browser.cookies = [
            "gatehouse-login": tossed, "__Host-gatehouse-login2": tossed, "__HOST-gatehouse-login": tossed,
        ]
        #expect(isRefused(try browser.callBack(attackers)), "cookies of other names")
    }

    @Test("Two sign-ins in two tabs of a browser go on side by side")
    func tabs() throws {
        let browser = fixture.browser()
        let first = try browser.arrive(as: "ann@example.com")
        let second = try browser.arrive("google", as: "ann@example.com")
        #expect(code(in: try browser.callBack(second)) != nil)
        #expect(code(in: try browser.callBack(first)) != nil)
    }

    @Test("An answer is good once, also of several at the same moment at two nodes")
    func once() throws {
        let server = try #require(fixture.inProcess)
        let other = try InProcessServer(beside: server)
        let browser = fixture.browser()
        let arrival = try browser.arrive(as: "ann@example.com")
        let cookie = "__Host-gatehouse-login=" + (browser.cookies["__Host-gatehouse-login"] ?? "")
        let answers = try Concurrently.run(12) { index in
            var request = TestRequest.get(arrival.path)
            request.headers.append(("Cookie", cookie))
            return (index % 2 == 0 ? server : other).send(request)
        }
        #expect(answers.filter { code(in: $0) != nil }.count == 1)
        #expect(answers.filter(isRefused).count == 11)
    }

    @Test("The answer of one provider is none of another's, and the state stays")
    func mixUp() throws {
        let browser = fixture.browser()
        let arrival = try browser.arrive(as: "ann@example.com")
        let query = arrival.path.drop { $0 != "?" }
        for other in ["other", "google", "apple", "wechat"] {
            #expect(isRefused(try browser.send(.get("/api/auth/\(other)/callback\(query)"))), "\(other)")
        }
        #expect(code(in: try browser.callBack(arrival)) != nil)
    }

    @Test("An answer that names another issuer, or none where the provider always does, is refused (RFC 9207)")
    func issuer() throws {
        for issuer in [JSONValue.string(fixture.providers.issuer("other")), .string(""), .null] {
            let answer = try signIn(changing: ["parameters": ["iss": issuer]])
            #expect(error(in: answer) == "invalid_identity", "\(issuer)")
        }
    }

    @Test("An identity token that is not for this request proves nothing")
    func token() throws {
        for (name, changes) in [
            ("another nonce", ["claims": ["nonce": "attacker"]]),
            ("the client of the app", ["claims": ["aud": "com.example.app"]]),
            ("a hash of another access token", ["claims": ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"]]),
            ("another key", ["forged": true]),
        ] as [(String, JSONObject)] {
            let answer = try signIn(changing: ["token": .object(changes)])
            #expect(error(in: answer) == "invalid_identity" && code(in: answer) == nil, "\(name)")
        }
    }

    @Test("A code of the provider that was stolen from another sign-in is not accepted in this one")
    func injection() throws {
        let (attacker, victim) = (fixture.browser(), fixture.browser())
        let victims = try victim.arrive(as: "ann@example.com")
        let attackers = try attacker.arrive(as: "mallory@example.com")
        var injected = attackers.parameters
        injected["code"] = victims.parameters["code"]
        let answer = try attacker.send(.get("/api/auth/acme/callback?\(TestBrowser.form(injected))"))
        #expect(error(in: answer) == "invalid_identity", "the provider compares the verifier of the request")
    }

    @Test("A state that was made up, is missing, or is there twice finds nothing")
    func madeUp() throws {
        let browser = fixture.browser()
        let arrival = try browser.arrive(as: "ann@example.com")
        let state = arrival.parameters["state"] ?? ""
        for query in [
            "", "?code=a", "?code=a&state=", "?code=a&state=\(String(state.reversed()))",
            "?code=a&state=\(state)&state=\(state)", "?code=a&state[]=\(state)", "?code=a&STATE=\(state)",
        ] {
            #expect(isRefused(try browser.send(.get("/api/auth/acme/callback\(query)"))), "\(query)")
        }
        #expect(code(in: try browser.callBack(arrival)) != nil)
    }

    @Test("A sign-in lasts ten minutes")
    func expired() throws {
        let browser = fixture.browser()
        let (first, second) = (try browser.arrive(as: "a"), try browser.arrive(as: "b"))
        fixture.inProcess?.advanceClock(by: .seconds(560))
        #expect(code(in: try browser.callBack(first)) != nil)
        fixture.inProcess?.advanceClock(by: .seconds(50))
        #expect(isRefused(try browser.callBack(second)))
    }

    @Test("A node restarts between start and callback, and the sign-in goes on")
    func restart() throws {
        let browser = fixture.browser()
        let arrival = try browser.arrive(as: "ann@example.com")
        try fixture.inProcess?.restart()
        let code = try #require(code(in: try browser.callBack(arrival)))
        try fixture.inProcess?.restart()
        #expect(try fixture.exchange(code).status == 200)
    }

    @Test("A failing store at the callback is told to the browser or the app, and no user is signed in")
    func failingStore() throws {
        let server = try #require(fixture.inProcess)
        let browser = fixture.browser()
        let arrival = try browser.arrive(as: "ann@example.com")
        try server.testDatabase.execute("ALTER TABLE authorization_requests RENAME TO gone")
        #expect(try browser.callBack(arrival).status == 503)
        try server.testDatabase.execute("ALTER TABLE gone RENAME TO authorization_requests")
        try server.testDatabase.execute("ALTER TABLE authorization_codes RENAME TO gone")
        #expect(error(in: try browser.callBack(arrival)) == "temporarily_unavailable")
        try server.testDatabase.execute("ALTER TABLE gone RENAME TO authorization_codes")
    }
}
