import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// What nginx passes on, limits, repeats and logs of the requests with which a page signs in.
@Suite("nginx for signing in on the web")
struct WebSignInRequestTests {
    private static let headers = [
        ("Cookie", "__Host-gatehouse=secret; theme=dark"), ("Origin", CrossOrigin.allowed),
        ("Sec-Fetch-Site", "same-site"), ("Access-Control-Request-Method", "POST"),
    ]
    private static let parameters = [
        "HTTP_COOKIE", "HTTP_ORIGIN", "HTTP_SEC_FETCH_SITE", "HTTP_ACCESS_CONTROL_REQUEST_METHOD",
    ]

    /// Without a comparison with the OpenAPI document, which a stand-in does not know.
    private func ask(_ nginx: ServerBehindNginx, _ path: String, _ options: String...) throws -> TestResponse {
        try ask(nginx, path, options)
    }

    private func ask(_ nginx: ServerBehindNginx, _ path: String, _ options: [String]) throws -> TestResponse {
        let command = ["curl", "-si", "--max-time", "30", "--path-as-is", "--cacert", nginx.certificate]
        return TestResponse(parsing: try Shell.run(command + options + ["https://localhost:\(nginx.port)\(path)"]))
    }

    @Test("The responder gets cookies, the origin and the query of a request to the API; the guard's question has none")
    func parameters() throws {
        let responder = try RecordingResponder()
        let nginx = try ServerBehindNginx(
            before: responder, locations: "location /notes/ { include snippets/gatehouse-guard.conf; empty_gif; }")
        let options = Self.headers.flatMap { ["-H", "\($0.0): \($0.1)"] }
        let command = ["curl", "-s", "--max-time", "30", "--cacert", nginx.certificate] + options
        for path in ["/api/auth/apple/callback?code=c&state=s", "/notes/1"] {
            try Shell.run(command + ["https://localhost:\(nginx.port)\(path)"])
        }
        let request = try #require(responder.requests(at: "/api/auth/apple/callback").first)
        #expect(Self.parameters.map { request[$0] } == Self.headers.map(\.1))
        #expect(request["QUERY_STRING"] == "code=c&state=s")
        let question = try #require(responder.requests(at: "/api/auth/verify").first)
        #expect(Self.parameters.allSatisfy { question[$0] == nil }, "\(question)")

        _ = try ask(nginx, "/api/auth/exchange")
        let bare = try #require(responder.requests(at: "/api/auth/exchange").first)
        #expect(Self.parameters.allSatisfy { bare[$0] == nil }, "\(bare)")
    }

    @Test(
        "While the responder is down, a browser sees a page in its language, and every other client a problem document")
    func page() throws {
        let nginx = try ServerBehindNginx(
            before: try RecordingResponder(), values: ["RESPONDER": "unix:/nonexistent/socket"])
        let html = ["-H", "Accept: text/html,application/xhtml+xml,*/*;q=0.8"]
        for path in ["/api/auth/acme/start?redirect_uri=%3Cb%3E", "/api/auth/own_1/callback?code=secret"] {
            for (language, text) in [
                ("zh-CN,zh;q=0.9,en;q=0.8", "无法继续登录"), ("fr , zh", "无法继续登录"), ("en,zh;q=0.9", "cannot go on"),
                ("fr, en, zh", "cannot go on"), ("fr", "cannot go on"),
            ] {
                let page = try ask(nginx, path, html + ["-H", "Accept-Language: \(language)"])
                let body = String(decoding: page.body, as: UTF8.self)
                #expect(page.status == 502 && page.header("content-type") == "text/html; charset=utf-8")
                #expect(body.contains(text) && body.contains("<a href=\"\">"), "\(language): \(body)")
                #expect(!body.contains("secret") && !body.contains("<b>") && !body.contains("%3C"))
                #expect(
                    page.header("content-security-policy")?.contains("default-src 'none'; style-src 'sha256-") == true)
                #expect(page.header("retry-after") == "5" && page.header("cache-control") == "no-store")
            }
            let form = try ask(nginx, path, ["-d", "form=of Apple"] + html)
            #expect(form.header("content-type")?.hasPrefix("text/html") == true)
            #expect(!String(decoding: form.body, as: UTF8.self).contains("<a "), "a form cannot be sent again")
            expectProblem(try ask(nginx, path, ["-H", "Accept: application/json"]), 502, "bad_gateway")
        }
        for other in ["/api/users/me", "/api/auth/exchange", "/api/auth/acme/start/x", "/x?/api/auth/acme/start"] {
            let answer = try ask(nginx, other, html)
            #expect(answer.header("content-type") == "application/problem+json", "\(other)")
        }
    }

    @Test(
        "The steps of a sign-in in the browser count as logins, and the exchange, where OAuth libraries refresh, does not",
        arguments: ["/api/auth/apple/start", "/api/auth/google/callback", "/api/auth/own_1/start"])
    func limited(_ path: String) throws {
        let responder = try RecordingResponder()
        let nginx = try ServerBehindNginx(
            before: responder, values: ["LOGIN_RATE": "1r/m", "LOGIN_BURST": "1"])
        let preflights = try (0..<4).map { _ in try ask(nginx, path, "-X", "OPTIONS").status }
        #expect(preflights == [200, 200, 200, 200])
        let statuses = try (0..<4).map { _ in try ask(nginx, path + "?state=x").status }
        #expect(statuses == [200, 200, 429, 429])
        #expect(responder.requests(at: path).count == 6)
        for other in [path + "/x", "/api/auth/refresh", "/api/auth/exchange", "/api/auth/ways"] {
            #expect(try ask(nginx, other).status == 200, "\(other)")
        }
    }

    @Test(
        "Each request of a sign-in or a sign-up by a passkey, or of one by one tap, counts as a login",
        arguments: ["number", "passkey", "passkey/options", "passkey/signup", "passkey/signup/options"])
    func limitedPasskeys(_ path: String) throws {
        let responder = try RecordingResponder()
        let nginx = try ServerBehindNginx(before: responder, values: ["LOGIN_RATE": "1r/m", "LOGIN_BURST": "1"])
        let statuses = try (0..<3).map { _ in try ask(nginx, "/api/auth/" + path, "-X", "POST").status }
        #expect(statuses == [200, 200, 429])
        #expect(try ask(nginx, "/api/users/me/passkeys").status == 200)
        #expect(responder.requests(at: "/api/auth/" + path).count == 2)
    }

    @Test("With several nodes, what is used once is not sent twice, and a redirect may be")
    func nodes() throws {
        let (fault, other) = (try RecordingResponder(.noAnswer), try RecordingResponder())
        let nginx = try ServerBehindNginx(
            before: other, values: ["RESPONDER": "127.0.0.1:\(fault.port),127.0.0.1:\(other.port)"])
        for (method, path, isRepeated) in [
            ("POST", "/api/auth/exchange", false), ("POST", "/api/auth/apple/callback", false),
            ("POST", "/api/auth/passkey", false), ("POST", "/api/auth/passkey/signup", false),
            ("POST", "/api/auth/number", false), ("POST", "/api/users/me/accounts/number", false),
            ("POST", "/api/users/me/passkeys", false), ("GET", "/api/users/me/passkeys", true),
            ("GET", "/api/auth/apple/callback", true), ("GET", "/api/auth/google/start", true),
        ] {
            try nginx.renewWorkers()
            let before = (fault: fault.count, other: other.count)
            let lost = try ask(nginx, path + "?state=x", "-X", method, "-d", method == "POST" ? "code=x" : "")
            #expect(lost.status == (isRepeated ? 200 : 502), "\(method) \(path)")
            #expect(fault.count == before.fault + 1, "\(method) \(path)")
            #expect(other.count == before.other + (isRepeated ? 1 : 0), "\(method) \(path)")
            // The node that has failed gets no request for a while.
            #expect(try ask(nginx, path).status == 200)
        }
    }

    @Test("No log contains the query or the body of a sign-in, whatever happens to the request")
    func logs() throws {
        let responder = try RecordingResponder()
        let values = ["LOGIN_RATE": "1r/m", "LOGIN_BURST": "1"]
        for values in [values, values.merging(["RESPONDER": "127.0.0.1:1"]) { $1 }] {
            let nginx = try ServerBehindNginx(before: responder, values: values)
            let query = "?code=secret-code&state=secret-state&user=%7B%22name%22%3A%22secret%22%7D"
            for path in ["apple/start", "apple/callback", "exchange", "apple/callback/%2e%2e", "apple\\callback"] {
                _ = try ask(nginx, "/api/auth/" + path + query)
                _ = try ask(nginx, "/api/auth/" + path, "-d", String(query.dropFirst()))
            }
            _ = try ask(nginx, "/api/auth/apple/callback" + query + String(repeating: "x", count: 9000))
            _ = try ask(nginx, "/nowhere" + query)
            let url = "http://127.0.0.1:\(nginx.plainPort)/api/auth/apple/callback\(query)"
            _ = try Shell.run(["curl", "-si", "--max-time", "30", url])
            let last = try #require(try ask(nginx, "/api/auth/ways" + query).header("x-request-id"))
            #expect(Eventually.holds { nginx.accessLog.contains(last) })
            let errors = try String(contentsOfFile: nginx.prefix + "/logs/error.log", encoding: .utf8)
            #expect(!(nginx.accessLog + errors + nginx.nginx.log).contains("secret"))
            #expect(nginx.accessLog.contains(#""path":"/api/auth/apple/callback""#))
        }
    }
}
