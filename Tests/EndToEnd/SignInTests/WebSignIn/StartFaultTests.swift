import Foundation
import JSON
import OpenSSL
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import GatehouseWeb
@testable import ServerSupport

@Suite("Faults of a start")
struct StartFaultTests {
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test("Without a registered redirect address the browser stays, and sees a page that repeats nothing")
    func page() throws {
        // In development, it repeats the address.
        let fixture = try WebSignInFixture {
            $0["APP_ENV"] = "production"
            for name in ["DEV_LOGIN_SECRET", "APPLE_AUTHORIZATION_URL"] { $0[name] = nil }
        }
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

    private static let differences = [
        ("https://app.example.com/signed-in/", "the slash at the end is too much"),
        ("http://app.example.com/signed-in", "the scheme is http, not https"),
        ("https://app.example.com:8443/signed-in", "the port is 8443, not none"),
        ("https://app.example.org/signed-in", "the host is app.example.org, not app.example.com"),
        ("https://app.example.com/Signed-in?a=1", "the path is /Signed-in?a=1, not /signed-in"),
        ("com.example.app:signed-in", "the path is signed-in, not /signed-in"),
        ("http://localhost:5173/", "it resembles none of REDIRECT_URIS: add it there"),
        ("https://[::1]:1/<script>'\"&\u{0}", "the host is [::1], not app.example.com"),
    ]

    @Test("In development, the page says which address came, which ones are configured, and what differs")
    func difference() throws {
        let fixture = try WebSignInFixture()
        for (address, difference) in Self.differences {
            let sent = address.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let page = try fixture.server.send(.get("/api/auth/acme/start?redirect_uri=\(sent)"))
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(text.contains("<dd>\(difference)</dd>"), "\(address): \(text)")
            #expect(text.contains("<dd>\(WebSignInFixture.page)</dd><dd>com.example.app:/signed-in</dd>"))
            #expect(!text.contains("<script") && !text.contains("\u{0}"), "\(text)")
        }
        for (query, times) in [("redirect_uri=a&redirect_uri=b", 2), ("redirect_uri=", 1), ("", 0)] {
            let page = try fixture.server.send(.get("/api/auth/acme/start?\(query)"))
            #expect(String(decoding: page.body, as: UTF8.self).contains("redirect_uri came \(times) times, or empty"))
        }
    }

    @Test("A page leads back to the pages at which sign-ins end, in the browser's language")
    func look() throws {
        let fixture = try WebSignInFixture {
            let page = WebSignInFixture.page
            $0["REDIRECT_URIS"] = "\(page),\(page)/2,com.example.app:/in,https://b.example:1/?a=b&c"
        }
        for (languages, isChinese) in [
            ("", false), ("zh-CN,zh;q=0.9,en;q=0.8", true), ("en-US,en;q=0.9, zh;q=0.8", false), ("fr, ZH;q=0.5", true),
        ] {
            var request = TestRequest.get("/api/auth/acme/callback?state=x")
            request.headers.append(("Accept-Language", languages))
            let page = try fixture.server.send(request)
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(text.contains(isChinese ? "这次登录已经完成" : "It was completed before"), "\(languages): \(text)")
            #expect(text.contains("<html lang=\"\(isChinese ? "zh" : "en")\">"))
            #expect(text.contains("<a href=\"\(WebSignInFixture.page)\">"))
            #expect(text.contains("<a href=\"https://b.example:1/?a=b&amp;c\">"))
            #expect(text.ranges(of: "<a ").count == 2, "one link for each host: \(text)")
        }
    }

    @Test("The style of pages is permitted by its hash, and nginx has the same")
    func style() throws {
        let hash = Data(SHA256.hash(ErrorPage.style)).base64EncodedString()
        #expect(ErrorPage.policy.contains("style-src 'sha256-\(hash)'"))
        let parts = [
            ("conf.d/gatehouse.conf", ErrorPage.style), ("snippets/gatehouse-page.conf", "'sha256-\(hash)'"),
        ]
        for (file, part) in parts {
            let path = Executable.root + "/nginx/" + file
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains(part), "\(file)")
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
