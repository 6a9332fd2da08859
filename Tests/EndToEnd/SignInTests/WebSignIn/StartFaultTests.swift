import FakeProviders
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Faults of a start")
struct StartFaultTests {
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test("Without a registered redirect address the browser stays, and sees a page that repeats nothing")
    func page() throws {
        let fixture = try WebSignInFixture()
        for query in [
            "redirect_uri=", "code_challenge=\(Self.challenge)&code_challenge_method=S256",
            "redirect_uri=https%3A%2F%2Fapp.example.com%2Fsigned-in%2F&code_challenge=\(Self.challenge)",
            "redirect_uri=https%3A%2F%2Fevil.example%2F", "redirect_uri=javascript%3Aalert%281%29",
            "redirect_uri=https%3A%2F%2Fapp.example.com%2Fsigned-in&redirect_uri=https%3A%2F%2Fevil.example%2F",
            "redirect_uri=https%3A%2F%2Fapp.example.com%2Fsigned-in%00",
            "redirect_uri=https://app.example.com/signed-in@evil.example", "",
        ] {
            let answer = try fixture.server.send(.get("/api/auth/acme/start?\(query)"))
            #expect(answer.status == 400, "\(query)")
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.contains("invalid_redirect_uri") && !text.contains("evil") && !text.contains("alert"))
        }
    }

    @Test("An unknown provider, one without a client, and a server without addresses have no start")
    func unknown() throws {
        let fixture = try WebSignInFixture { $0["APPLE_CLIENT_ID"] = nil }
        for provider in ["apple", "unknown", "ACME", "dev", "phone", "acme%00", "..", "<b>"] {
            let answer = try fixture.server.send(.get("/api/auth/\(provider)/start?\(AppFlow().query)"))
            #expect(answer.status == 404, "\(provider)")
            #expect(!String(decoding: answer.body, as: UTF8.self).contains("<b>"))
        }
        let without = try WebSignInFixture { $0["REDIRECT_URIS"] = nil }
        #expect(try without.browser().start("acme").status == 404)
    }

    private static let faults: [(String, String, @Sendable (inout AppFlow) -> Void)] = [
        ("no challenge", "invalid_request", { $0.challenge = nil }),
        ("no method: RFC 7636 means plain", "invalid_request", { $0.method = nil }),
        ("plain", "invalid_request", { $0.method = "plain" }),
        ("the method in lower case", "invalid_request", { $0.method = "s256" }),
        ("a short challenge", "invalid_request", { $0.challenge = "abc" }),
        ("a long challenge", "invalid_request", { $0.challenge = String(repeating: "a", count: 44) }),
        ("a challenge with padding", "invalid_request", { $0.challenge = String(repeating: "a", count: 42) + "=" }),
        ("an empty challenge", "invalid_request", { $0.challenge = "" }),
        ("two challenges", "invalid_request", { $0.more = "&code_challenge=\(challenge)" }),
        ("a short dpop_jkt", "invalid_request", { $0.more = "&dpop_jkt=abc" }),
        ("a dpop_jkt of two", "invalid_request", { $0.more = "&dpop_jkt=\(challenge).\(challenge)" }),
        ("two dpop_jkt", "invalid_request", { $0.more = "&dpop_jkt=\(challenge)&dpop_jkt=\(challenge)" }),
        ("two states", "invalid_request", { $0.more = "&state=b" }),
        ("an implicit flow", "unsupported_response_type", { $0.more = "&response_type=token" }),
        ("a hybrid flow", "unsupported_response_type", { $0.more = "&response_type=code%20id_token" }),
        ("a long state", "invalid_request", { $0.state = String(repeating: "a", count: 513) }),
    ]

    @Test("Another fault is told to the app, at its registered address")
    func returned() throws {
        let fixture = try WebSignInFixture()
        for (name, error, change) in Self.faults {
            var flow = AppFlow()
            change(&flow)
            let answer = try fixture.browser().start("acme", flow)
            let back = TestBrowser.arrival(at: answer.header("location") ?? "")
            #expect(answer.status == 303 && back.address.hasPrefix(WebSignInFixture.page + "?error="), "\(name)")
            #expect(back.parameters["error"] == error, "\(name)")
            let hasState = !["two states", "a long state"].contains(name)
            #expect(back.parameters["state"] == (hasState ? "app state &=#" : nil), "\(name)")
            #expect(answer.header("set-cookie") == nil)
        }
    }

    @Test("What AppAuth and other libraries send besides is ignored")
    func ignored() throws {
        var flow = AppFlow()
        flow.more = "&response_type=code&client_id=any&scope=openid%20profile&nonce=n&prompt=login&login_hint=a&x"
        let fixture = try WebSignInFixture()
        let back = try fixture.browser().signIn("acme", as: "ann@example.com", flow)
        #expect(back.parameters["code"] != nil)
    }

    @Test("A provider or a database that does not answer is temporarily unavailable, and the app may begin again")
    func unavailable() throws {
        let fixture = try WebSignInFixture()
        let server = try #require(fixture.inProcess)
        try fixture.providers.control("/openid/acme/keys/faults", ["discovery": "close"])
        let provider = try fixture.browser().start("acme", isReachable: false)
        #expect(
            TestBrowser.arrival(at: provider.header("location") ?? "").parameters["error"] == "temporarily_unavailable")
        try server.testDatabase.execute("ALTER TABLE authorization_requests RENAME TO gone")
        let store = try fixture.browser().start("google", isReachable: false)
        #expect(
            TestBrowser.arrival(at: store.header("location") ?? "").parameters["error"] == "temporarily_unavailable")
        #expect(server.log.contains("\"status\":303,") && server.log.contains("temporarily_unavailable"))
        try server.testDatabase.execute("ALTER TABLE gone RENAME TO authorization_requests")
        #expect(try fixture.browser().start("google").header("set-cookie") != nil)
    }
}
