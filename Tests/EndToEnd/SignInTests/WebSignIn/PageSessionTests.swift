import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Sessions of pages")
struct PageSessionTests {
    private let fixture: WebSignInFixture
    private static let other = "https://app.example.com"

    init() throws {
        fixture = try WebSignInFixture { $0["CORS_ORIGINS"] = "\(Self.other),https://admin.example.com" }
    }

    /// A page's request: without a body, with what browsers add.
    private func post(
        _ path: String, from origin: String? = WebSignInFixture.origin, site: String? = "same-origin",
        body: JSONObject? = nil
    ) -> TestRequest {
        var request = body.map { TestRequest.post(path, $0) } ?? TestRequest(method: "POST", path: path)
        if let origin { request.headers.append(("Origin", origin)) }
        if let site { request.headers.append(("Sec-Fetch-Site", site)) }
        return request
    }

    private func signedIn(as user: String = "ann@example.com") throws -> (TestBrowser, TestResponse) {
        let browser = fixture.browser()
        let code = try fixture.code(as: user, browser)
        let body: JSONObject = [
            "code": .string(code), "codeVerifier": .string(AppFlow.verifier), "session": "cookie",
        ]
        return (browser, try browser.send(post("/api/auth/exchange", body: body)))
    }

    @Test("The refresh token is in a cookie that scripts do not read, and not in the body")
    func cookie() throws {
        let (_, login) = try signedIn()
        #expect(login.status == 200 && login["refreshToken"] == .null && login.accessToken != "")
        let cookie = login.header("set-cookie") ?? ""
        #expect(
            cookie.wholeMatch(
                of: /__Host-gatehouse=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=25[0-9]{5}/
            ) != nil,
            "\(cookie)")
    }

    @Test("A refresh without a body takes the cookie, sets the next one, and the first one's answer can be repeated")
    func refresh() throws {
        let (browser, _) = try signedIn()
        let first = browser.cookies
        let answer = try browser.send(post("/api/auth/refresh"))
        #expect(answer.status == 200 && answer["refreshToken"] == .null)
        #expect(try fixture.server.me(answer.accessToken).status == 200)
        #expect(browser.cookies != first)
        let second = browser.cookies
        browser.cookies = first
        _ = try browser.send(post("/api/auth/refresh"))
        #expect(browser.cookies == second, "within the grace, the same successor")
    }

    @Test("Two tabs that refresh at the same moment stay signed in")
    func tabs() throws {
        let (browser, _) = try signedIn()
        let server = fixture.server
        for _ in 0..<5 {
            var request = post("/api/auth/refresh")
            request.headers.append(("Cookie", browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")))
            let answers = try Concurrently.run(4) { [request] _ in try server.send(request) }
            #expect(answers.allSatisfy { $0.status == 200 })
            let cookies = Set(answers.compactMap { $0.header("set-cookie")?.prefix { $0 != ";" } })
            #expect(cookies.count == 1)
            browser.cookies["__Host-gatehouse"] = cookies.first.map { String($0.dropFirst("__Host-gatehouse=".count)) }
        }
    }

    private static let origins: [(origin: String?, site: String?, isPermitted: Bool)] = [
        (WebSignInFixture.origin, "same-origin", true), (WebSignInFixture.origin, nil, true),
        (other, "same-site", true), (other, "cross-site", true), ("https://admin.example.com", "same-site", true),
        (WebSignInFixture.origin, "cross-site", false), ("https://evil.example", "cross-site", false),
        ("https://evil.example", "same-origin", false), ("null", "cross-site", false), ("null", nil, false),
        ("https://api.example.com.evil.example", nil, false), ("http://api.example.com", nil, false),
        ("https://api.example.com:8443", nil, false), ("https://API.example.com", nil, false),
        ("https://app.example.com/", nil, false), ("", nil, false),
    ]

    @Test("The cookie is used for pages of this server and of CORS_ORIGINS alone")
    func origin() throws {
        for (index, (origin, site, isPermitted)) in Self.origins.enumerated() {
            let name = "\(origin ?? "none"), \(site ?? "none")"
            let (browser, login) = try signedIn(as: "user-\(index)@example.com")
            let cookies = browser.cookies
            let refresh = try browser.send(post("/api/auth/refresh", from: origin, site: site))
            #expect(refresh.status == (isPermitted ? 200 : 403), "\(name): \(refresh.json)")
            if !isPermitted {
                #expect(refresh.code == "origin_not_allowed" && browser.cookies == cookies, "\(name)")
            }
            let code = try fixture.code(as: "ben@example.com", browser)
            let body: JSONObject = [
                "code": .string(code), "codeVerifier": .string(AppFlow.verifier), "session": "cookie",
            ]
            let exchange = try fixture.server.send(post("/api/auth/exchange", from: origin, site: site, body: body))
            // A browser drops the cookie of another site's page, so that its login would be lost at the next reload.
            let keepsCookie = isPermitted && site != "cross-site"
            #expect(exchange.status == (keepsCookie ? 200 : 403), "\(name): a login may not be forged, either")
            let logout = try browser.send(post("/api/auth/logout", from: origin, site: site))
            #expect(logout.status == (isPermitted ? 204 : 403), "\(name)")
            #expect(try fixture.isSignedIn(login) == !isPermitted, "\(name)")
        }
    }

    @Test("A login whose cookie the browser would drop says what to do, and uses no code")
    func otherSite() throws {
        let browser = fixture.browser()
        let body: JSONObject = [
            "code": .string(try fixture.code(as: "ann@example.com", browser)),
            "codeVerifier": .string(AppFlow.verifier), "session": "cookie",
        ]
        let refused = try browser.send(post("/api/auth/exchange", from: Self.other, site: "cross-site", body: body))
        #expect(refused.status == 403 && refused.code == "origin_not_allowed")
        #expect(refused["detail"]?.string?.contains("through a proxy") == true, "\(refused.json)")
        #expect(refused.header("set-cookie") == nil && refused.header("www-authenticate") == nil)
        let login = try browser.send(post("/api/auth/exchange", from: Self.other, site: "same-site", body: body))
        let sessions = try fixture.server.send(.get("/api/users/me/sessions", bearer: login.accessToken))
        #expect(sessions["sessions"]?.array?.count == 1, "\(sessions.json)")
    }

    @Test("A page that only asks whether its browser has a session is not refused without one")
    func optional() throws {
        let (browser, login) = try signedIn()
        let path = "/api/auth/refresh?session=optional"
        #expect(try browser.send(post(path)).status == 200)
        #expect(try browser.send(post(path, from: "https://evil.example")).code == "origin_not_allowed")
        _ = try fixture.server.send(.post("/api/auth/logout", bearer: login.accessToken))
        #expect(try browser.send(post(path)).code == "refresh_token_revoked", "the page has to say why")
        browser.cookies["__Host-gatehouse"] = nil
        let anonymous = try browser.send(post(path))
        #expect(anonymous.status == 204 && anonymous.header("set-cookie") == nil && anonymous.body.isEmpty)
        #expect(try fixture.server.send(post(path, from: "https://evil.example")).code == "origin_not_allowed")
    }

    @Test("Without an origin, as from another client than a browser, the cookie is not used")
    func noOrigin() throws {
        let (browser, login) = try signedIn()
        #expect(try browser.send(TestRequest(method: "POST", path: "/api/auth/refresh")).code == "invalid_json")
        #expect(try browser.send(TestRequest(method: "POST", path: "/api/auth/logout")).code == "origin_not_allowed")
        #expect(try fixture.isSignedIn(login))
    }

    @Test("No other endpoint reads the cookie")
    func otherEndpoints() throws {
        let (browser, _) = try signedIn()
        for (method, path) in [
            ("GET", "/api/users/me"), ("GET", "/api/auth/verify"), ("POST", "/api/auth/logout-all"),
            ("DELETE", "/api/users/me"), ("GET", "/api/users/me/sessions"), ("GET", "/api/users/me/export"),
        ] {
            var request = post(path)
            request.method = method
            #expect(try browser.send(request).status == 401, "\(path)")
        }
    }

    @Test("A logout ends the session and removes the cookie, and so does each other end that the user chooses")
    func logout() throws {
        for path in ["/api/auth/logout", "/api/auth/logout-all", "/api/users/me"] {
            let (browser, login) = try signedIn(as: "user \(path)")
            var request = post(path)
            if path != "/api/auth/logout" { request.headers.append(("Authorization", "Bearer \(login.accessToken)")) }
            if path == "/api/users/me" { request.method = "DELETE" }
            let answer = try browser.send(request)
            #expect(answer.status == 204, "\(path) \(answer.json)")
            #expect(
                answer.header("set-cookie")
                    == "__Host-gatehouse=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0")
            #expect(browser.cookies["__Host-gatehouse"] == nil)
            #expect(try !fixture.isSignedIn(login))
        }
    }

    @Test(
        "A logout that removes the cookie ends the session in it, also when its access token is of another session",
        arguments: ["/api/auth/logout", "/api/auth/logout-all"])
    func otherSession(_ path: String) throws {
        let (browser, page) = try signedIn()
        let other = try fixture.logIn(as: "ben@example.com")
        var request = post(path)
        request.headers.append(("Authorization", "Bearer \(other.accessToken)"))
        #expect(try browser.send(request).status == 204)
        let isRemoved = browser.cookies["__Host-gatehouse"] == nil
        #expect(try !(isRemoved && fixture.isSignedIn(page)), "the session goes on, and nothing can end it any more")
    }

    @Test("A session that a logout cannot end, because it is bound to a key, keeps its cookie")
    func boundSession() throws {
        let browser = fixture.browser()
        let body: JSONObject = [
            "code": .string(try fixture.code(as: "ann@example.com", browser)),
            "codeVerifier": .string(AppFlow.verifier), "session": "cookie",
        ]
        let page = try browser.send(post("/api/auth/exchange", body: body).proven(by: "web:P-256", at: fixture.server))
        try #require(page["tokenType"] == "DPoP" && page["refreshToken"] == .null)
        var request = post("/api/auth/logout")
        request.headers.append(("Authorization", "Bearer \(try fixture.logIn(as: "ben@example.com").accessToken)"))
        #expect(try browser.send(request).status == 204)
        #expect(browser.cookies["__Host-gatehouse"] != nil)
    }

    @Test("A refused refresh leaves the cookie, which a login in another tab may have replaced")
    func refused() throws {
        let (browser, login) = try signedIn()
        _ = try fixture.server.send(.post("/api/auth/logout", bearer: login.accessToken))
        let answer = try browser.send(post("/api/auth/refresh"))
        #expect(answer.code == "refresh_token_revoked" && answer.header("set-cookie") == nil)
        browser.cookies["__Host-gatehouse"] = nil
        #expect(try browser.send(post("/api/auth/refresh")).code == "invalid_refresh_token")
        browser.cookies["__Host-gatehouse"] = "x"
        #expect(try browser.send(post("/api/auth/refresh")).code == "invalid_refresh_token")
    }

    @Test("A refresh token in the body works as before, whatever cookies there are")
    func body() throws {
        let (browser, _) = try signedIn()
        let app = try fixture.logIn(as: "app@example.com")
        let answer = try browser.send(.refresh(app.refreshToken))
        #expect(answer.status == 200 && answer.refreshToken != "" && answer.header("set-cookie") == nil)
    }
}

@Suite("Pages of other origins")
struct CrossOriginTests {
    private static let page = "https://app.example.com"
    private static let fields = [
        "access-control-allow-origin", "access-control-allow-credentials", "access-control-expose-headers",
        "access-control-allow-methods", "access-control-allow-headers", "access-control-max-age",
    ]

    private func request(_ method: String, _ path: String, from origin: String, asking: String? = nil) -> TestRequest {
        var request = TestRequest(method: method, path: path, headers: [("Origin", origin)])
        if let asking { request.headers.append(("Access-Control-Request-Method", asking)) }
        return request
    }

    @Test("A page in the list may ask and read, with the user's credentials")
    func permitted() throws {
        let server = try InProcessServer { $0["CORS_ORIGINS"] = Self.page }
        let preflight = server.send(request("OPTIONS", "/api/users/me", from: Self.page, asking: "PATCH"))
        #expect(preflight.status == 204 && preflight.body.isEmpty)
        #expect(preflight.header("access-control-allow-methods")?.contains("PATCH") == true)
        #expect(preflight.header("access-control-allow-headers")?.contains("Authorization") == true)
        #expect(preflight.header("access-control-max-age") == "600")
        for answer in [
            preflight, server.send(request("GET", "/api/users/me", from: Self.page)),
            server.send(request("GET", "/api/nothing", from: Self.page)),
        ] {
            #expect(answer.header("access-control-allow-origin") == Self.page, "\(answer.status)")
            #expect(answer.header("access-control-allow-credentials") == "true")
            #expect(answer.header("vary") == "Origin")
            #expect(answer.count(ofHeader: "access-control-allow-origin") == 1)
        }
    }

    @Test("Any other origin gets no header of CORS, and its preflight is an unknown method")
    func refused() throws {
        let server = try InProcessServer { $0["CORS_ORIGINS"] = Self.page }
        for origin in [
            "https://evil.example", "null", "*", "https://app.example.com.evil.example", "http://app.example.com",
            "https://app.example.com:444", "https://APP.example.com", "https://app.example.com/",
        ] {
            let preflight = server.send(request("OPTIONS", "/api/users/me", from: origin, asking: "GET"))
            #expect(preflight.status == 405, "\(origin)")
            for answer in [preflight, server.send(request("GET", "/api/users/me", from: origin))] {
                #expect(Self.fields.allSatisfy { answer.header($0) == nil }, "\(origin)")
                #expect(answer.header("vary") == "Origin", "a cache may not give it to the page in the list")
            }
        }
    }

    @Test("Without the setting nothing is different from before")
    func off() throws {
        let server = try InProcessServer()
        let preflight = server.send(request("OPTIONS", "/api/users/me", from: Self.page, asking: "GET"))
        let answer = server.send(request("GET", "/api/users/me", from: Self.page))
        #expect(preflight.status == 405 && answer.status == 401)
        #expect(answer.header("vary") == nil && Self.fields.allSatisfy { answer.header($0) == nil })
    }
}
