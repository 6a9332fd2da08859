import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Signing in through a browser")
struct WebSignInTests {
    private let fixture: WebSignInFixture

    init() throws {
        fixture = try WebSignInFixture()
    }

    @Test("Every provider signs in through its page, as the same user again, and a user who cancels returns as well")
    func everyProvider() throws {
        for provider in WebSignInFixture.providers {
            let first = try fixture.logIn(provider, as: "ann@example.com")
            #expect(first.status == 200 && first["isNewUser"] == true, "\(provider) \(first.json)")
            #expect(try fixture.isSignedIn(first), "\(provider)")
            let second = try fixture.logIn(provider, as: "ann@example.com")
            #expect(second.userID == first.userID && second["isNewUser"] == false, "\(provider)")
            let other = try fixture.logIn(provider, as: "ben@example.com")
            #expect(other.userID != first.userID, "\(provider)")
            let accounts = try fixture.server.send(.get("/api/users/me/accounts", bearer: first.accessToken))
            #expect(accounts["accounts"]?.array?.first?.object?["provider"] == .string(provider.uppercased()))
            let back = try fixture.browser().signIn(provider, as: "ann@example.com", cancelling: true)
            #expect(back.parameters["error"] == "access_denied", "\(back.address)")
            #expect(back.parameters["state"] == "app state &=#", "\(provider)")
        }
    }

    @Test("The browser gets a cookie that comes with Apple's form, and goes to the provider with state, nonce and PKCE")
    func start() throws {
        let answer = try fixture.browser().start("acme")
        let cookie = answer.header("set-cookie") ?? ""
        #expect(
            cookie.wholeMatch(
                of: /__Host-gatehouse-login=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=None; Max-Age=600/) != nil)
        let page = TestBrowser.arrival(at: answer.header("location") ?? "").parameters
        #expect(page["redirect_uri"] == "https://api.example.com/api/auth/acme/callback")
        #expect(page["state"]?.count == 43 && page["nonce"]?.count == 43 && page["code_challenge"]?.count == 43)
        #expect(page["code_challenge_method"] == "S256" && page["response_type"] == "code")
        #expect(page["state"] != page["nonce"], "each is random")
    }

    @Test("The app gets its state and a code, and nothing else")
    func returned() throws {
        let back = try fixture.browser().signIn("acme", as: "ann@example.com")
        #expect(back.address.hasPrefix(WebSignInFixture.page + "?code="))
        #expect(Set(back.parameters.keys) == ["code", "state"])
        #expect(back.parameters["state"] == "app state &=#")
        var flow = AppFlow()
        (flow.state, flow.redirectURI) = (nil, "com.example.app:/signed-in")
        let scheme = try fixture.browser().signIn("acme", as: "ann@example.com", flow)
        #expect(Set(scheme.parameters.keys) == ["code"] && scheme.address.hasPrefix("com.example.app:/signed-in?"))
        flow.redirectURI = "http://127.0.0.1:51004/signed-in"
        let loopback = try fixture.browser().signIn("acme", as: "ann@example.com", flow)
        #expect(loopback.address.hasPrefix("http://127.0.0.1:51004/signed-in?code="))
    }

    @Test("With an https origin as the issuer, the app learns which server answers (RFC 9207)")
    func issuer() throws {
        let fixture = try WebSignInFixture { $0["TOKEN_ISSUER"] = WebSignInFixture.origin }
        let browser = fixture.browser()
        #expect(try browser.signIn("acme", as: "ann").parameters["iss"] == WebSignInFixture.origin)
        let cancelled = try browser.signIn("acme", as: "ann", cancelling: true)
        #expect(cancelled.parameters["iss"] == WebSignInFixture.origin)
        let metadata = try fixture.server.send(.get("/.well-known/oauth-authorization-server")).json
        #expect(metadata["token_endpoint"] == "https://api.example.com/api/auth/exchange")
        #expect(metadata["code_challenge_methods_supported"] == ["S256"])
        #expect(
            metadata["authorization_endpoints"]?.object?["acme"] == "https://api.example.com/api/auth/acme/start")
    }

    @Test("No answer of the flow is kept, framed, or tells others its address; all redirects are 303")
    func headers() throws {
        let browser = fixture.browser()
        let start = try browser.start("apple")
        let arrival = try browser.choose("ann@example.com", at: start.header("location") ?? "")
        let finish = try browser.callBack(arrival)
        let pages = [
            try browser.callBack(arrival), try browser.start("unknown"),
            try browser.send(.get("/api/auth/acme/start?redirect_uri=https://evil.example/")),
        ]
        #expect([start, finish].allSatisfy { $0.status == 303 && $0.body.isEmpty })
        #expect(pages.map(\.status) == [400, 404, 400])
        for answer in [start, finish] + pages {
            #expect(answer.header("referrer-policy") == "no-referrer")
            #expect(answer.header("cache-control") == "no-store")
            #expect(answer.header("x-frame-options") == "DENY")
            #expect(answer.header("content-security-policy")?.contains("frame-ancestors 'none'") == true)
        }
        for page in pages { #expect(page.header("location") == nil && page.header("set-cookie") == nil) }
    }

    @Test("An error of the provider is one of OAuth's for the app")
    func providerError() throws {
        for (error, expected) in [
            ("access_denied", "access_denied"), ("user_cancelled_authorize", "access_denied"),
            ("temporarily_unavailable", "temporarily_unavailable"), ("server_error", "server_error"),
            ("invalid_scope", "server_error"), ("unauthorized_client", "server_error"),
            ("<script>alert(1)</script>", "server_error"),
        ] {
            try fixture.providers.control("/openid/acme/answers", ["parameters": ["error": .string(error)]])
            let back = try fixture.browser().signIn("acme", as: "ann@example.com")
            #expect(back.parameters["error"] == expected && back.parameters["state"] == "app state &=#", "\(error)")
            #expect(back.parameters["code"] == nil && !back.address.contains("alert"), "\(error)")
        }
        #expect(fixture.inProcess?.log.contains("alert") == false)
    }

    @Test("A page learns which ways there are")
    func ways() throws {
        let ways = try fixture.server.send(.get("/api/auth/ways"))
        #expect(ways["web"] == ["acme", "apple", "google", "other", "qq", "wechat"])
        #expect(ways["codes"] == [] && ways["development"] == true)
        let none = try InProcessServer().send(.get("/api/auth/ways"))
        #expect(none["web"] == [])
        let chosen = try WebSignInFixture {
            CodeFixture.addSettings(of: try! StandInServer(), to: &$0)
            $0["SIGN_IN_ORDER"] = "phone, QQ, unknown, apple, qq"
        }
        let inOrder = try chosen.server.send(.get("/api/auth/ways"))
        #expect(inOrder["web"] == ["qq", "apple", "acme", "google", "other", "wechat"])
        #expect(inOrder["codes"] == ["phone", "email"])
    }

    @Test("No code, state, verifier or token of the flow is in the log")
    func log() throws {
        let browser = fixture.browser()
        let page = try browser.start("google").header("location") ?? ""
        let arrival = try browser.choose("ann@example.com", at: page)
        let back = TestBrowser.arrival(at: try browser.callBack(arrival).header("location") ?? "")
        let code = try #require(back.parameters["code"])
        let login = try fixture.exchange(code)
        #expect(login.status == 200)
        let log = try #require(fixture.inProcess?.log)
        let secrets =
            [code, login.accessToken, login.refreshToken, AppFlow.verifier, "ann@example.com"]
            + TestBrowser.arrival(at: page).parameters.values.filter { $0.count == 43 }
            + arrival.parameters.values + browser.cookies.values
        for secret in secrets where secret.count > 12 { #expect(!log.contains(secret), "\(secret)") }
    }
}
