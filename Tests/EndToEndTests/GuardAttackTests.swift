import JSON
import TestSupport
import Testing

/// A signed-in user who wants to be another, or more than they are, or to get in without a token.
@Suite("Whoever attacks the guard")
struct GuardAttackTests {
    private let stand: GuardedStand
    private let token: String

    private static let login = Result { try GuardedStand.shared.get().token(of: "attacker@example.com") }

    init() throws {
        stand = try GuardedStand.shared.get()
        token = try Self.login.get()
    }

    /// A request as nobody's library would write it.
    private func send(
        _ target: String, method: String = "GET", _ headers: [String] = [], authorized: Bool = true, rest: String = ""
    ) throws -> Answer {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"]
        if authorized { lines.append("Authorization: Bearer \(token)") }
        if !headers.contains(where: { $0.hasPrefix("Connection:") }) { lines.append("Connection: close") }
        return try stand.house.send(raw: (lines + headers).joined(separator: "\r\n") + "\r\n\r\n" + rest)
    }

    @Test(
        "cannot say who they are",
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
        let answer = try send("/notes/headers", headers)
        #expect([200, 400].contains(answer.status))
        guard answer.status == 200 else { return }
        let arrived = try #require(UpstreamRequest(whole: answer.body))
        #expect(!arrived.text.contains("forged"))
        for name in ["X-User-Id", "X-User-Role", "X-Session-Id", "X-Request-Id", "X-Forwarded-For"] {
            #expect(arrived.values(of: name).count == 1)
        }
    }

    @Test(
        "cannot have nginx's word taken away on the last hop",
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
        "cannot choose the role that is demanded",
        arguments: ["GATEHOUSE_ROLE", "Gatehouse-Role", "HTTP-GATEHOUSE-ROLE"])
    func demand(_ name: String) throws {
        for role in ["", "USER"] { #expect(try send("/notes/admin/1", ["\(name): \(role)"]).status == 403) }
    }

    @Test("gets in by a token in the header alone, and by one")
    func credentials() throws {
        let other = try stand.token(of: "victim@example.com")
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

    /// nginx chooses the location by the path as it understands it, and passes on the path as it was sent.
    @Test(
        "cannot spell a path that nginx and the service read differently",
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
        let answer = try send(target)
        #expect(answer.status == 400)
        #expect(answer.code == "bad_request")
    }

    @Test(
        "may use a path or a query that only looks odd",
        arguments: [
            "/notes/...", "/notes/a..b", "/notes/.x", "/notes/?a=/../;%3b\\#", "/notes/x%253by", "/notes/caf%C3%A9%20",
        ])
    func oddPaths(_ target: String) throws {
        #expect(UpstreamRequest(whole: try send(target).body)?.target == target)
    }

    @Test("cannot write lines of the service's request through its path")
    func splitting() throws {
        let answer = try send("/notes/user/%0d%0aX-User-Id:%20forged")
        #expect(UpstreamRequest(whole: answer.body)?.values(of: "X-User-Id").first?.hasPrefix("user_") == true)
        #expect(try send("/notes/1 HTTP/1.1\r\nX-User-Id: forged\r\nX-Other:").body.contains("forged".utf8) == false)
    }

    @Test(
        "cannot reach what is internal, nor the admins' location by another form of the target",
        arguments: [
            ("/_gatehouse/verify", 404), ("/_gatehouse/problem", 404), ("https://localhost/_gatehouse/verify", 404),
            ("https://localhost/notes/admin/1", 403), ("http://elsewhere.example/notes/admin/1", 403),
            ("/notes/%61dmin/1", 403), ("/notes//admin/1", 403), ("/notes/admin%2f1", 403), ("/notes/admin", 301),
            ("*", 400), ("localhost:443", 400),
        ])
    func targets(_ target: String, _ status: Int) throws {
        #expect(try send(target).status == status)
    }

    @Test("cannot smuggle a request in the body of another")
    func smuggling() throws {
        let inner = "GET /notes/admin/smuggled HTTP/1.1\r\nHost: localhost\r\nX-User-Id: forged\r\n\r\n"
        let chunked = "Transfer-Encoding: chunked"
        for headers in [
            [chunked, "Content-Length: \(inner.utf8.count + 5)"], ["Content-Length: 4", chunked],
            [chunked, "Transfer-Encoding: identity"], ["Transfer-Encoding: xchunked"], ["Transfer-Encoding : chunked"],
            ["Transfer-Encoding:\u{B}chunked"], ["Content-Length: 0", "Content-Length: \(inner.utf8.count)"],
            ["Content-Length: +0"], ["Content-Length: 0, 0"],
        ] {
            let answer = try send("/notes/outer", method: "POST", headers, rest: "0\r\n\r\n" + inner)
            #expect([400, 501].contains(answer.status), "\(headers)")
        }
        // A body that looks like a request is a body.
        let answer = try send("/notes/body", ["Content-Length: \(inner.utf8.count)"], rest: inner)
        #expect(UpstreamRequest(whole: answer.body)?.body == Array(inner.utf8))
        // A second request on the connection is asked for its own token.
        let second = "GET /notes/second HTTP/1.1\r\nHost: localhost\r\nX-User-Id: forged\r\nConnection: close\r\n\r\n"
        let first = "GET /notes/first HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n"
        #expect(try stand.house.send(raw: first + second).body.contains("invalid_access_token".utf8))
        #expect(stand.upstream.arrivals(at: "/notes/admin/smuggled").isEmpty)
        #expect(stand.upstream.arrivals(at: "/notes/second").isEmpty)
    }

    @Test("cannot do it in the words of HTTP/2 either")
    func http2() throws {
        for (name, value) in [
            ("X-User-Id", "forged"), ("x_user_id", "forged"), ("Connection", "x-user-id"),
            ("Transfer-Encoding", "chunked"),
        ] {
            var call = Call.get("/notes/two", bearer: token)
            call.headers.append((name, value))
            let answer = try stand.house.send(call, options: ["--http2"])
            guard answer.status == 200 else { continue }
            #expect(UpstreamRequest(whole: answer.body)?.values(of: "X-User-Id").first?.hasPrefix("user_") == true)
            #expect(!answer.body.contains("forged".utf8))
        }
        #expect(try stand.house.send(.get("/notes/x/../admin/1", bearer: token), options: ["--http2"]).status == 400)
        #expect(try stand.house.send(.get("/notes/x;/admin/1", bearer: token), options: ["--http2"]).status == 400)
    }
}
