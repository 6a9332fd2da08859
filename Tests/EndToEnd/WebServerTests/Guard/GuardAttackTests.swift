import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// The attacker is a logged-in user who wants to be another user or administrator, or a client without a token.
@Suite("Attacks on the guard")
struct GuardAttackTests {
    private let fixture: GuardFixture
    private let token: String

    private static let login = Result { try GuardFixture.shared.get().token(of: "attacker@example.com") }

    init() throws {
        fixture = try GuardFixture.shared.get()
        token = try Self.login.get()
    }

    /// Sends a request that an HTTP library would refuse to write.
    private func send(
        _ target: String, method: String = "GET", _ headers: [String] = [], authorized: Bool = true, rest: String = ""
    ) throws -> TestResponse {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"]
        if authorized { lines.append("Authorization: Bearer \(token)") }
        if !headers.contains(where: { $0.hasPrefix("Connection:") }) { lines.append("Connection: close") }
        return try fixture.server.send(raw: (lines + headers).joined(separator: "\r\n") + "\r\n\r\n" + rest)
    }

    @Test(
        "A client cannot set the identity headers",
        arguments: [
            ["X-User-Id: forged"], ["x-user-id:forged"], ["X-USER-ID: forged  "], ["x_user_id: forged"],
            ["X.User.Id: forged"], ["X-User-Id : forged"], ["X-User-Id\t: forged"], [" X-User-Id: forged"],
            ["X-User-Id:\r\n forged"], ["X-Other: a\r\n X-User-Id: forged"], ["X-Other: a\nX-User-Id: forged"],
            ["X-User-Id: forged", "X-User-Id: forged"], ["X-User-Id:", "X-User-Id: forged"], ["X-User-Role: forged"],
            ["X_User_Role: forged"], ["X-Session-Id: forged"], ["X-Request-Id: forged"], ["Forwarded: for=forged"],
            ["X-Forwarded-For: forged"], ["X-Forwarded-Host: forged"], ["X-Real-IP: forged"],
            ["X-Original-URL: /forged"], ["X-Rewrite-URL: /forged"], ["Upgrade: forged"], ["TE: forged"],
        ])
    func headers(_ headers: [String]) throws {
        let response = try send("/notes/headers", headers)
        #expect([200, 400].contains(response.status))
        guard response.status == 200 else { return }
        let arrived = try #require(UpstreamRequest(whole: response.body))
        #expect(!arrived.text.contains("forged"))
        for name in ["X-User-Id", "X-User-Role", "X-Session-Id", "X-Request-Id", "X-Forwarded-For"] {
            #expect(arrived.values(of: name).count == 1)
        }
    }

    @Test(
        "A client cannot remove the identity headers with hop-by-hop headers",
        arguments: [
            "Connection: close, X-User-Id", "Connection: X-User-Role, close", "Keep-Alive: X-User-Id",
            "Trailer: X-User-Id",
        ])
    func hopByHop(_ header: String) throws {
        let arrived = try #require(UpstreamRequest(whole: try send("/notes/hop", [header]).body))
        #expect(arrived.values(of: "X-User-Id").first?.hasPrefix("user_") == true)
        #expect(arrived.values(of: "X-User-Role") == ["USER"])
        #expect(!arrived.values(of: "Connection").contains { $0.contains("X-User") })
    }

    @Test(
        "A client cannot choose the required role",
        arguments: ["GATEHOUSE_ROLE", "Gatehouse-Role", "HTTP-GATEHOUSE-ROLE"])
    func requiredRole(_ name: String) throws {
        for role in ["", "USER"] { #expect(try send("/notes/admin/1", ["\(name): \(role)"]).status == 403) }
    }

    @Test("Only a single Authorization header authenticates a request")
    func credentials() throws {
        let other = try fixture.token(of: "victim@example.com")
        for target in ["/notes/1?access_token=\(other)", "/notes/1?authorization=Bearer%20\(other)"] {
            #expect(try send(target, authorized: false).status == 401)
        }
        for header in [
            "Cookie: access_token=\(other)", "Proxy-Authorization: Bearer \(other)", "Access-Token: \(other)",
        ] {
            #expect(try send("/notes/1", [header], authorized: false).status == 401)
        }
        #expect(try send("/notes/1", ["Authorization: Bearer \(other)"]).status == 400)
        #expect(try send("/notes/1", ["Authorization: Bearer x"]).status == 400)
        let long = String(repeating: "a", count: 9000)
        #expect(try send("/notes/1", ["Authorization: Bearer \(long)"], authorized: false).status == 431)
    }

    /// nginx selects the location by the normalised path but passes on the path as it was sent.
    @Test(
        "A path that nginx and the service could interpret differently is refused",
        arguments: [
            "/notes/x/../admin/1", "/notes/x/..%2fadmin/1", "/notes/x%2F%2e%2E%2fadmin/1", "/notes/./admin/1",
            "/notes/admin/../1", "/notes/admin/1/..", "/notes/x#/../admin/1", "/notes/admin;x/1", "/notes/;/admin/1",
            "/notes/admin%3Bx/1", "/notes/x%3by", "/notes/%3b/admin/1", "/notes/user/..%3b/admin/1",
            "/notes/admin/1%3B",
            "https://localhost/notes/admin%3bx/1",
            "/notes/admin\\1", "/notes/x\\..\\admin", "/notes/x%5c..%5Cadmin", "//notes/notes/admin/1",
            "https://localhost//notes/notes/admin/1", "https://localhost/notes/x/../admin/1", "/notes/x%00/admin",
            "/notes/admin%zz/1",
        ])
    func ambiguousPaths(_ target: String) throws {
        let response = try send(target)
        #expect(response.status == 400)
        #expect(response.code == "bad_request")
    }

    @Test(
        "Unusual but unambiguous paths and queries are passed on",
        arguments: [
            "/notes/...", "/notes/a..b", "/notes/.x", "/notes/?a=/../;%3b\\#", "/notes/x%253by", "/notes/caf%C3%A9%20",
        ])
    func oddPaths(_ target: String) throws {
        #expect(UpstreamRequest(whole: try send(target).body)?.target == target)
    }

    @Test("A path cannot inject header lines into the upstream request")
    func splitting() throws {
        let response = try send("/notes/user/%0d%0aX-User-Id:%20forged")
        #expect(UpstreamRequest(whole: response.body)?.values(of: "X-User-Id").first?.hasPrefix("user_") == true)
        #expect(try send("/notes/1 HTTP/1.1\r\nX-User-Id: forged\r\nX-Other:").body.contains("forged".utf8) == false)
    }

    @Test(
        "Other forms of the target reach neither internal locations nor locations for administrators",
        arguments: [
            ("/_gatehouse/verify", 404), ("/_gatehouse/problem", 404), ("https://localhost/_gatehouse/verify", 404),
            ("https://localhost/notes/admin/1", 403), ("http://elsewhere.example/notes/admin/1", 403),
            ("/notes/%61dmin/1", 403), ("/notes//admin/1", 403), ("/notes/admin%2f1", 403), ("/notes/admin", 301),
            ("*", 400), ("localhost:443", 400),
        ])
    func targets(_ target: String, _ status: Int) throws {
        #expect(try send(target).status == status)
    }

    @Test("A request body cannot smuggle a second request")
    func smuggling() throws {
        let inner = "GET /notes/admin/smuggled HTTP/1.1\r\nHost: localhost\r\nX-User-Id: forged\r\n\r\n"
        let chunked = "Transfer-Encoding: chunked"
        for headers in [
            [chunked, "Content-Length: \(inner.utf8.count + 5)"], ["Content-Length: 4", chunked],
            [chunked, "Transfer-Encoding: identity"], ["Transfer-Encoding: xchunked"], ["Transfer-Encoding : chunked"],
            ["Transfer-Encoding:\u{B}chunked"], ["Content-Length: 0", "Content-Length: \(inner.utf8.count)"],
            ["Content-Length: +0"], ["Content-Length: 0, 0"],
        ] {
            let response = try send("/notes/outer", method: "POST", headers, rest: "0\r\n\r\n" + inner)
            #expect([400, 501].contains(response.status), "\(headers)")
        }
        // A body that looks like a request is passed on as a body.
        let response = try send("/notes/body", ["Content-Length: \(inner.utf8.count)"], rest: inner)
        #expect(UpstreamRequest(whole: response.body)?.body == Array(inner.utf8))
        // A second request on the connection needs its own token.
        let second = "GET /notes/second HTTP/1.1\r\nHost: localhost\r\nX-User-Id: forged\r\nConnection: close\r\n\r\n"
        let first = "GET /notes/first HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n"
        #expect(try fixture.server.send(raw: first + second).body.contains("invalid_access_token".utf8))
        #expect(fixture.upstream.requests(at: "/notes/admin/smuggled").isEmpty)
        #expect(fixture.upstream.requests(at: "/notes/second").isEmpty)
    }

    @Test("The same attacks fail over HTTP/2")
    func http2() throws {
        for (name, value) in [
            ("X-User-Id", "forged"), ("x_user_id", "forged"), ("Connection", "x-user-id"),
            ("Transfer-Encoding", "chunked"),
        ] {
            var request = TestRequest.get("/notes/two", bearer: token)
            request.headers.append((name, value))
            let response = try fixture.server.send(request, options: ["--http2"])
            guard response.status == 200 else { continue }
            #expect(UpstreamRequest(whole: response.body)?.values(of: "X-User-Id").first?.hasPrefix("user_") == true)
            #expect(!response.body.contains("forged".utf8))
        }
        #expect(
            try fixture.server.send(.get("/notes/x/../admin/1", bearer: token), options: ["--http2"]).status
                == 400)
        #expect(
            try fixture.server.send(.get("/notes/x;/admin/1", bearer: token), options: ["--http2"]).status == 400)
    }
}
