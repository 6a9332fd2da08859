import JSON
import Testing

@testable import Console
@testable import DevelopmentHTTP

@Suite("Single requests of a sign-in through a browser")
struct HopTests {
    private let console: ConsoleFixture

    init() throws {
        console = try ConsoleFixture(hasStandIn: true)
    }

    private func hop(_ order: JSONObject, _ fields: [String: String] = [:]) -> HTTPReply? {
        console.reply("POST", "/console/hop", fields, body: order.description)
    }

    private func hop(to url: String) -> HTTPReply? { hop(["method": "GET", "url": .string(url)]) }

    private var api: String { "https://localhost:8443/api/one?" + console.query }

    @Test("The API gets what the order has, and nothing of the page's own request")
    func request() throws {
        let order: JSONObject = [
            "method": "POST", "url": .string(api), "body": "a=b",
            "headers": [
                "Cookie": "__Host-gatehouse=token", "Origin": "https://localhost:8443", "Sec-Fetch-Site": "same-origin",
                "Content-Type": "application/x-www-form-urlencoded",
            ],
        ]
        let own = [
            "cookie": "own=1", "origin": "https://localhost:8443", "authorization": "Bearer own", "accept": "own",
        ]
        let answer = try #require(hop(order, own)?.json)
        let request = try #require(console.hops.first)
        #expect(console.hops.count == 1 && request.method == "POST" && request.body == Array("a=b".utf8))
        #expect(request["cookie"] == "__Host-gatehouse=token" && request["origin"] == "https://localhost:8443")
        #expect(request["sec-fetch-site"] == "same-origin" && request["x-forwarded-for"] == "127.0.0.1")
        #expect(request["content-type"] == "application/x-www-form-urlencoded")
        #expect(request["authorization"] == nil && request["accept"] == nil)
        #expect(answer["status"] == 200 && answer["cookies"] == [])
        #expect(answer["headers"]?.array?.contains(["X-Request-Id", "id-of-the-api"]) == true)
        #expect(answer["body"]?.string?.contains("/api/one") == true)
    }

    @Test("A redirect is told and not followed, with each cookie and what a browser does with it")
    func redirect() throws {
        let answer = try #require(hop(to: "https://localhost:8443/api/redirects?" + console.query)?.json)
        #expect(answer["status"] == 303 && console.hops.count == 1)
        #expect(answer["headers"]?.array?.contains(["Location", "https://evil.example/api/next"]) == true)
        let cookies = try #require(answer["cookies"]?.array).compactMap(\.object)
        #expect(cookies.map { $0["name"] } == ["__Host-a", "c"])
        #expect(cookies.map { $0["effect"] } == ["stored", "removed"])
    }

    @Test(
        "No other host is asked, and of the two servers no other path",
        arguments: [
            "https://evil.example/api/one", "https://localhost:8443.evil.example/api/one",
            "http://localhost:8443/api/one",
            "https://localhost:8443@evil.example/api/one", "https://localhost:8444/api/one", "//localhost:8443/api/one",
            "https://localhost:8443", "https://localhost:8443/metrics", "https://localhost:8443/console/faults",
            "https://LOCALHOST:8443/api/one", "/api/one", "file:///etc/passwd", "STANDIN/mint", "STANDIN/auth/token",
            "STANDIN/answers", "STANDIN/faults", "STANDIN/auth/authorize/../../mint",
            "STANDIN/openid/../mint/authorize",
            "STANDIN/openid/acme/mint", "STANDIN/wechat/mint", "STANDIN/api/one",
        ])
    func otherHosts(url: String) throws {
        let standIn = "http://127.0.0.1:\(try RecordingAPI.shared.get().port)"
        let reply = hop(to: url.replacing("STANDIN", with: standIn) + "?" + console.query)
        #expect(reply?.status == "403 Forbidden")
        #expect(console.hops.isEmpty)
    }

    @Test(
        "The pages of the fake Apple are reached, and get no cookies of Gatehouse",
        arguments: ["/auth/authorize", "/openid/acme/authorize", "/wechat/connect/qrconnect", "/qq/oauth2.0/authorize"])
    func pages(path: String) throws {
        let url = "http://127.0.0.1:\(try RecordingAPI.shared.get().port)\(path)?\(console.query)"
        let headers: JSONValue = ["Cookie": "__Host-gatehouse=token", "Sec-Fetch-Site": "same-origin"]
        let reply = hop(["method": "POST", "url": .string(url), "headers": headers, "body": "action=continue"])
        #expect(reply?.json?["status"] == 200)
        let request = try #require(console.hops.first)
        #expect(request.path == path && request["cookie"] == nil && request["sec-fetch-site"] == "same-origin")
    }

    @Test("Without a fake Apple there is no page to reach")
    func noStandIn() throws {
        let console = try ConsoleFixture()
        let url = "http://127.0.0.1:\(try RecordingAPI.shared.get().port)/auth/authorize?\(console.query)"
        let reply = console.reply("POST", "/console/hop", body: "{\"method\":\"GET\",\"url\":\"\(url)\"}")
        #expect(reply?.status == "403 Forbidden" && console.hops.isEmpty)
    }

    @Test(
        "An order that is wrong, or that would write a second header or request, is refused",
        arguments: [
            "", "[]", "{}", #"{"method":"GET"}"#, #"{"url":"URL"}"#, #"{"method":"DELETE","url":"URL"}"#,
            #"{"method":"GET","url":"URL#a"}"#, #"{"method":"GET","url":"URL HTTP/1.1"}"#,
            #"{"method":"GET","url":"URL\r\nA:b"}"#, #"{"method":"GET","url":"URL","follow":true}"#,
            #"{"method":"GET","url":"URL","headers":{"Host":"evil.example"}}"#,
            #"{"method":"GET","url":"URL","headers":{"X-Forwarded-For":"192.0.2.1"}}"#,
            #"{"method":"GET","url":"URL","headers":{"Cookie":"a=b\r\nX-User-Id: c"}}"#,
            #"{"method":"GET","url":"URL","headers":{"Cookie":1}}"#, #"{"method":"GET","url":"URL","headers":[]}"#,
            #"{"method":"POST","url":"URL","body":{}}"#,
        ])
    func wrong(order: String) throws {
        let reply = console.reply("POST", "/console/hop", body: order.replacing("URL", with: api))
        #expect(reply?.status == "400 Bad Request" && reply?.json?["error"] != nil)
        #expect(console.hops.isEmpty)
    }

    @Test("The faults of the API apply: a lost answer reaches neither the page, and 503 is not carried out")
    func faults() throws {
        _ = console.reply("POST", "/console/faults", body: #"{"fault":"lost","path":"/api/one","times":1}"#)
        let lost = hop(["method": "GET", "url": .string(api)], ["x-console-step": "p-1"])
        #expect(lost?.fields.contains(.init(name: "X-Accel-Redirect", value: "/console/lost")) == true)
        #expect(console.hops.count == 1 && console.reported.first?["step"] == "p-1")
        #expect(console.reported.first?["path"] == "/api/one")
        _ = console.reply("POST", "/console/faults", body: #"{"fault":"unavailable","times":1}"#)
        #expect(hop(to: api)?.json?["status"] == 503 && console.hops.count == 1)
    }

    @Test("An API without an answer is told as such")
    func noAnswer() throws {
        #expect(hop(to: "https://localhost:8443/api/closes?" + console.query)?.json?["status"] == 502)
    }
}

@Suite("What a browser does with a cookie")
struct ReceivedCookieTests {
    @Test("The parts of a Set-Cookie header, as it has them")
    func parts() {
        let cookie = ReceivedCookie("__Host-a=b=c; Path=/; Secure;HttpOnly; SameSite=None; Max-Age=600")
        #expect(cookie.name == "__Host-a" && cookie.value == "b=c" && cookie.effect == .stored)
        #expect(cookie.attributes.map(\.name) == ["Path", "Secure", "HttpOnly", "SameSite", "Max-Age"])
        #expect(cookie.attributes.map(\.value) == ["/", nil, nil, "None", "600"])
    }

    @Test(
        "It is stored, removed or refused",
        arguments: [
            ("a=b", .stored), ("__Host-a=b; Path=/; Secure", .stored), ("__Secure-a=b; Secure", .stored),
            ("__Host-a=b; Path=/; secure; max-age=1", .stored), ("a=; Max-Age=0", .removed),
            ("a=b; Max-Age=-1", .removed), ("a=b; Max-Age=0; Max-Age=5", .stored), ("a=b; Max-Age=x", .stored),
            ("=b", .refused), ("__Host-a=b; Path=/", .refused), ("__Host-a=b; Secure", .refused),
            ("__Host-a=b; Path=/api; Secure", .refused), ("__Host-a=b; Path=/; Secure; Domain=localhost", .refused),
            ("__host-a=b; Path=/", .refused), ("__Secure-a=b", .refused), ("a=b; SameSite=None", .refused),
            ("a=b; SameSite=None; Secure", .stored),
        ] as [(String, ReceivedCookie.Effect)])
    func effect(header: String, effect: ReceivedCookie.Effect) {
        let cookie = ReceivedCookie(header)
        #expect(cookie.effect == effect)
        #expect((cookie.fault == nil) == (effect != .refused))
    }
}
