import Curl
import Testing

/// The kinds of request. The limits apply to all of them.
enum Method: CaseIterable {
    case get, postForm, postJSON

    func ask(_ url: String, _ client: HTTPClient) throws(HTTPFault) -> HTTPResponse {
        switch self {
        case .get: try client.get(url)
        case .postForm: try client.post(url, form: [("a", "b")])
        case .postJSON: try client.post(url, json: Array("{}".utf8))
        }
    }
}

@Suite("The HTTP client")
struct HTTPClientTests {
    private static let timedOut = 28

    private let quickClient = HTTPClient(timeout: .milliseconds(300), largestBody: 1000)
    private let client = HTTPClient(timeout: .seconds(20), largestBody: 1000)

    private func isTransport(_ code: Int) -> (any Error) -> Bool {
        { error in
            guard case .transport(code, _) = error as? HTTPFault else { return false }
            return true
        }
    }

    @Test("returns status and body for every status", arguments: Method.allCases, [200, 400, 404, 500, 503])
    func status(method: Method, status: Int) throws {
        let peer = try Peer(.answer("HTTP/1.1 \(status) Said\r\nContent-Length: 5\r\n\r\nhello"))
        let answer = try method.ask(peer.url, client)
        #expect(answer.status == status)
        #expect(answer.body == Array("hello".utf8))
        #expect(peer.requests.count == 1)
    }

    @Test("sends method, path and a User-Agent without a version", arguments: Method.allCases)
    func request(method: Method) throws {
        let peer = try Peer(Peer.ok(""))
        _ = try method.ask(peer.url, client)
        let request = try #require(peer.requests.first)
        #expect(request.hasPrefix(method == .get ? "GET /path?query HTTP/1.1\r\n" : "POST /path?query HTTP/1.1\r\n"))
        #expect(request.contains("\r\nUser-Agent: gatehouse\r\n"))
        #expect(request.contains("Expect:") == false)
        #expect(request.contains("Content-Type: ") == (method != .get))
    }

    @Test(
        "posts a form with every byte encoded, and further header fields",
        arguments: [
            ([], ""), ([("grant_type", "refresh_token")], "grant_type=refresh_token"),
            ([("a", "1"), ("b", ""), ("a", "2")], "a=1&b=&a=2"),
            ([("x y", "a+b&c=d%e")], "x%20y=a%2Bb%26c%3Dd%25e"),
            ([("n", "é\u{1F511}\r\n\0")], "n=%C3%A9%F0%9F%94%91%0D%0A%00"),
            ([("safe", "aZ09-._~")], "safe=aZ09-._~"), ([("b64", "a/b==")], "b64=a%2Fb%3D%3D"),
        ] as [([(String, String)], String)])
    func form(fields: [(String, String)], body: String) throws {
        let peer = try Peer(Peer.ok("{}"))
        _ = try client.post(peer.url, form: fields, headers: [("Authorization", "Basic eDp5")])
        let request = try #require(peer.requests.first)
        #expect(request.contains("\r\nAuthorization: Basic eDp5\r\n"))
        #expect(request.contains("\r\nContent-Type: application/x-www-form-urlencoded\r\n"))
        #expect(request.contains("\r\nContent-Length: \(body.utf8.count)\r\n"))
        #expect(request.hasSuffix("\r\n\r\n" + body))
    }

    @Test("sends a query with every byte encoded")
    func query() throws {
        let peer = try Peer(Peer.ok("{}"))
        let fields = [("secret", "a+b&c=d%e#f?/"), ("x y", ""), ("n", "é\r\n\0 HTTP/1.1")]
        _ = try client.get("http://127.0.0.1:\(peer.port)/path", query: fields)
        let query = "secret=a%2Bb%26c%3Dd%25e%23f%3F%2F&x%20y=&n=%C3%A9%0D%0A%00%20HTTP%2F1.1"
        #expect(peer.requests.first?.hasPrefix("GET /path?\(query) HTTP/1.1\r\n") == true)
    }

    @Test("posts JSON unchanged, also if it is large, with further header fields")
    func json() throws {
        let text = "{\"x\":\"\(String(repeating: "é", count: 100_000))\"}"
        let peer = try Peer(Peer.ok("{}"))
        _ = try client.post(peer.url, json: Array(text.utf8), headers: [("webhook-id", "msg_1"), ("x-b", "2")])
        let request = try #require(peer.requests.first)
        #expect(request.contains("\r\nwebhook-id: msg_1\r\nx-b: 2\r\n"))
        #expect(request.contains("\r\nContent-Type: application/json\r\n"))
        #expect(request.hasSuffix("\r\n\r\n" + text))
    }

    @Test("does not follow redirects", arguments: Method.allCases, [301, 302, 303, 307, 308])
    func redirects(method: Method, status: Int) throws {
        let elsewhere = try Peer(Peer.ok("elsewhere"))
        let peer = try Peer(
            .answer("HTTP/1.1 \(status) Moved\r\nLocation: \(elsewhere.url)\r\nContent-Length: 0\r\n\r\n"))
        #expect(try method.ask(peer.url, client).status == status)
        #expect(elsewhere.requests.isEmpty)
    }

    @Test("times out if the server sends nothing", arguments: Method.allCases)
    func hanging(method: Method) throws {
        let peer = try Peer(.hang)
        #expect(performing: { try method.ask(peer.url, quickClient) }, throws: isTransport(Self.timedOut))
    }

    @Test("reads a body up to the limit and rejects a longer one", arguments: Method.allCases)
    func largest(method: Method) throws {
        let fitting = try Peer(Peer.ok(String(repeating: "x", count: 1000)))
        #expect(try method.ask(fitting.url, client).body.count == 1000)
        for count in [1001, 1 << 20] {
            let peer = try Peer(Peer.ok(String(repeating: "x", count: count)))
            #expect(throws: HTTPFault.tooLarge(limit: 1000)) { try method.ask(peer.url, client) }
        }
        let endless = try Peer(.answer("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 1 << 20)))
        #expect(throws: HTTPFault.tooLarge(limit: 1000)) { try method.ask(endless.url, client) }
    }

    @Test(
        "rejects a truncated or malformed response", arguments: Method.allCases,
        ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "SPDY/9 what\r\n\r\n"])
    func cutOff(method: Method, text: String) throws {
        let peer = try Peer(.answer(text))
        #expect(throws: HTTPFault.self) { try method.ask(peer.url, client) }
    }

    @Test("rejects other protocols", arguments: Method.allCases, ["file:///etc/hostname", "ftp://127.0.0.1/", "nope"])
    func protocols(method: Method, url: String) {
        #expect(throws: HTTPFault.self) { try method.ask(url, client) }
    }

    @Test("reports a refused connection, without the URL and the request", arguments: Method.allCases)
    func silence(method: Method) {
        #expect(
            performing: { try method.ask("http://127.0.0.1:1/secret?secret=secret", client) },
            throws: { isTransport(7)($0) && !"\($0)".contains("secret") && !"\($0)".contains("127") })
    }

    @Test(
        "errors do not contain the query of a GET, whatever goes wrong",
        arguments: [
            .answer(""), .answer("secret SPDY/9\r\n\r\n"), .answer("HTTP/1.1 200 secret\r\nContent-Length: 9\r\n\r\n"),
            Peer.ok(String(repeating: "x", count: 2000)), .hang,
        ] as [Peer.Manner])
    func silenceAboutQuery(manner: Peer.Manner) throws {
        let peer = try Peer(manner)
        #expect(
            performing: {
                try quickClient.get("http://127.0.0.1:\(peer.port)/path", query: [("secret", "secret")])
            },
            throws: {
                let text = "\($0) \(String(reflecting: $0))"
                return !text.contains("secret") && !text.contains("127")
            })
    }

    @Test("cuts a long body off if only the status counts", arguments: [200, 500])
    func cutBody(status: Int) throws {
        var cutting = client
        cutting.cutsLongBodies = true
        let text = "HTTP/1.1 \(status) Said\r\n\r\n" + String(repeating: "x", count: 1 << 20)
        let (peer, broken) = (try Peer(.answer(text)), try Peer(.answer("nonsense\r\n")))
        let response = try cutting.post(peer.url, json: [])
        #expect(response.status == status)
        #expect(response.body.count <= 1000)
        #expect(performing: { try cutting.get(broken.url) }, throws: { $0 is HTTPFault })
    }

    @Test(
        "says on whose side a fault is",
        arguments: [
            ([5, 6, 27, 58, 77], "this machine or its network"), ([7], "the network between, or the other side"),
            ([28, 52, 55, 56], "the other side, or the network between"), ([8, 35, 60, 61], "the other side"),
        ])
    func side(codes: [Int], side: String) {
        for code in codes {
            #expect("\(HTTPFault.transport(code: code, name: "x"))" == "x (curl \(code)); look at \(side)")
        }
    }

    @Test("connects without a request")
    func connecting() throws {
        let peer = try Peer(Peer.ok(""))
        try client.connect(peer.url)
        #expect(peer.requests.isEmpty)
        #expect(performing: { try client.connect("http://127.0.0.1:1/") }, throws: isTransport(7))
    }
}
