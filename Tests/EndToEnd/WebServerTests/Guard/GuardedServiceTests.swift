import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// A service in a location with the two lines of the guard.
@Suite("A guarded service")
struct GuardedServiceTests {
    private let fixture: GuardFixture

    init() throws { fixture = try GuardFixture.shared.get() }

    private func makeRequest(_ method: String, _ path: String, _ bearer: String?, body: [UInt8] = []) -> TestRequest {
        var request = TestRequest.get(path, bearer: bearer)
        request.method = method
        request.body = body
        return request
    }

    @Test("The service gets the user's identity and no token")
    func admitted() throws {
        let login = try fixture.server.devLogin("guarded@example.com")
        let response = try fixture.server.send(
            makeRequest("POST", "/notes/1", login.accessToken, body: Array("ten notes".utf8)))
        #expect(response.status == 200)
        let arrived = try #require(UpstreamRequest(whole: response.body))
        #expect(arrived.method == "POST")
        #expect(arrived.target == "/notes/1")
        #expect(arrived.body == Array("ten notes".utf8))
        #expect(arrived.values(of: "X-User-Id") == [login["user"]?.object?["id"]?.string ?? ""])
        #expect(arrived.values(of: "X-User-Role") == ["USER"])
        #expect(arrived.values(of: "X-Session-Id").first?.hasPrefix("sess_") == true)
        #expect(arrived.values(of: "X-Request-Id") == [response.header("x-request-id") ?? ""])
        #expect(arrived.values(of: "Authorization") == [])
        #expect(!arrived.text.contains(login.accessToken))
    }

    @Test("The service gets its own host name, and redirects do not repeat the client's Host")
    func host() throws {
        let login = try fixture.server.devLogin("host@example.com")
        var request = makeRequest("GET", "/notes/host", login.accessToken)
        request.headers.append(("Host", "evil.example"))
        let arrived = try #require(UpstreamRequest(whole: try fixture.server.send(request).body))
        #expect(arrived.values(of: "Host") == ["localhost"])
        // nginx redirects to the location with a trailing slash.
        request.path = "/notes"
        #expect(try fixture.server.send(request).header("location") == "/notes/")
    }

    @Test("Requests without a valid token do not reach the service and get a problem document")
    func refused() throws {
        let server = fixture.server
        let login = try server.devLogin("leaving@example.com")
        _ = try server.send(.post("/api/auth/logout", bearer: login.accessToken))
        for (bearer, code, challenge) in [
            (nil, "invalid_access_token", "Bearer"),
            ("x", "invalid_access_token", invalidToken("invalid_access_token")),
            (login.accessToken, "session_revoked", invalidToken("session_revoked")),
        ] {
            let response = try server.send(makeRequest("POST", "/notes/refused", bearer, body: [1]))
            expectProblem(response, 401, code)
            #expect(response.header("www-authenticate") == challenge)
            #expect(response.count(ofHeader: "www-authenticate") == 1)
            // The API has the same detail text.
            let own = try server.send(.get("/api/users/me", bearer: bearer))
            #expect(response["detail"]?.string == own["detail"]?.string)
        }
        #expect(fixture.upstream.requests(at: "/notes/refused").isEmpty)
    }

    private func invalidToken(_ code: String) -> String {
        "Bearer error=\"invalid_token\", error_description=\"\(code)\""
    }

    @Test("Every method is guarded", arguments: ["HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
    func methods(_ method: String) throws {
        let token = try fixture.token(of: "methods@example.com")
        #expect(try fixture.server.send(makeRequest(method, "/notes/method-\(method)", nil)).status == 401)
        #expect(fixture.upstream.requests(at: "/notes/method-\(method)").isEmpty)
        #expect(try fixture.server.send(makeRequest(method, "/notes/method-\(method)", token)).status == 200)
        #expect(fixture.upstream.requests(at: "/notes/method-\(method)").map(\.method) == [method])
    }

    @Test(
        "The service gets the whole body, however it is sent",
        arguments: ["--http1.1", "--http2"], [nil, ("Transfer-Encoding", "chunked"), ("Expect", "100-continue")])
    func bodies(_ version: String, _ header: (String, String)?) throws {
        let token = try fixture.token(of: "bodies@example.com")
        for size in [1, 1000, 65_536] {
            var request = makeRequest(
                "POST", "/notes/body", token, body: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            if let header { request.headers.append(header) }
            var response = try fixture.server.send(request, options: [version])
            if response.status == 100 { response = TestResponse(parsing: response.body) }
            #expect(response.status == 200)
            #expect(UpstreamRequest(whole: response.body)?.body == request.body)
        }
    }

    @Test(
        "A body over the limit does not reach the service",
        arguments: ["--http1.1", "--http2"], [nil, ("Transfer-Encoding", "chunked")])
    func tooLarge(_ version: String, _ header: (String, String)?) throws {
        let token = try fixture.token(of: "large@example.com")
        var request = makeRequest("POST", "/notes/large", token, body: [UInt8](repeating: 120, count: 65_537))
        if let header { request.headers.append(header) }
        expectProblem(try fixture.server.send(request, options: [version]), 413, "payload_too_large")
        #expect(fixture.upstream.requests(at: "/notes/large").isEmpty)
    }

    @Test("A location may allow larger bodies and stays guarded", arguments: ["--http1.1", "--http2"])
    func ownLimit(_ version: String) throws {
        let token = try fixture.token(of: "upload@example.com")
        let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let refused = try fixture.server.send(
            makeRequest("POST", "/uploads/no", "x", body: body), options: [version])
        expectProblem(refused, 401, "invalid_access_token")
        #expect(fixture.upstream.requests(at: "/uploads/no").isEmpty)
        let response = try fixture.server.send(
            makeRequest("POST", "/uploads/yes", token, body: body), options: [version])
        #expect(response.status == 200)
        #expect(UpstreamRequest(whole: response.body)?.body == body)
        let larger = [UInt8](repeating: 120, count: 2_097_153)
        let tooLarge = try fixture.server.send(
            makeRequest("POST", "/uploads/too", token, body: larger), options: [version])
        expectProblem(tooLarge, 413, "payload_too_large")
    }

    @Test("Expect: 100-continue is answered only for authenticated requests")
    func expectation() throws {
        let head = "POST /notes/expect HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 4\r\n"
        let request = head + "Expect: 100-continue\r\n\r\nnote"
        #expect(try fixture.server.send(raw: request).status == 401)
    }

    @Test("Error responses and headers of the service pass unchanged")
    func serviceResponses() throws {
        let upstream = try UpstreamServer { request in
            UpstreamResponse(
                status: "\(request.target.suffix(3)) Mine",
                headers: [("WWW-Authenticate", "Mine"), ("X-Frame-Options", "SAMEORIGIN")], body: Array("mine".utf8))
        }
        let server = try ServerBehindNginx(
            locations: """
                location /mine/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port); }
                """)
        let token = try server.devLogin("mine@example.com").accessToken
        for status in [401, 403, 404, 500] {
            let response = try server.send(.get("/mine/\(status)", bearer: token))
            #expect(response.status == status)
            #expect(response.body == Array("mine".utf8))
            #expect(response.headers.filter { $0.name == "www-authenticate" }.map(\.value) == ["Mine"])
            #expect(response.headers.filter { $0.name == "x-frame-options" }.map(\.value) == ["SAMEORIGIN"])
        }
    }

    @Test("A service that is down gives 502, and a denied location 403 without a challenge")
    func serviceDown() throws {
        let token = try fixture.token(of: "gone@example.com")
        for (path, status, code) in [("/gone/", 502, "bad_gateway"), ("/denied/", 403, "forbidden")] {
            let response = try fixture.server.send(.get(path, bearer: token))
            expectProblem(response, status, code)
            #expect(response.count(ofHeader: "www-authenticate") == 0)
        }
    }

    @Test("A location may set its own headers and error pages and stays guarded")
    func ownHeaders() throws {
        let token = try fixture.token(of: "own@example.com")
        expectProblem(try fixture.server.send(.get("/own/", bearer: nil)), 401, "invalid_access_token")
        let response = try fixture.server.send(.get("/own/", bearer: token))
        #expect(response.status == 200)
        #expect(response.header("x-own") == "yes")
    }

    @Test("Requests are refused while the responder is down", arguments: [SIGKILL, SIGSTOP])
    func failsClosed(_ signal: Int32) throws {
        let upstream = try UpstreamServer.echoing()
        let server = try ServerBehindNginx(
            values: ["RESPONDER_TIMEOUT": "1s"],
            locations: """
                location /notes/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port); }
                """)
        let token = try server.devLogin("closed@example.com").accessToken
        server.backend.process.signal(signal)
        if signal == SIGKILL { #expect(server.backend.process.wait() != nil) }
        let response = try server.send(makeRequest("POST", "/notes/closed", token, body: [1]))
        server.backend.process.signal(SIGCONT)
        expectProblem(response, 503, "service_unavailable")
        #expect(response.header("retry-after") != nil)
        #expect(upstream.requests(at: "/notes/closed").isEmpty)
    }

    @Test("A guarded service may be a server block of its own that includes the internal locations")
    func otherServerBlock() throws {
        let upstream = try UpstreamServer.echoing()
        let server = try ServerBehindNginx(
            site: """
                server_name notes.example;
                ssl_certificate certificate.pem;
                ssl_certificate_key certificate.key;
                include snippets/gatehouse-internal.conf;
                location / { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port); }
                location /admin/ {
                    set $gatehouse_role ADMIN;
                    include snippets/gatehouse-guard.conf;
                    proxy_pass http://127.0.0.1:\(upstream.port);
                }
                """)
        let token = try server.devLogin("other@example.com").accessToken
        func send(_ path: String, _ bearer: String?) throws -> TestResponse {
            var request = TestRequest.get(path, bearer: bearer)
            request.headers += [("Host", "notes.example"), ("X_User_Id", "forged")]
            return try server.send(request)
        }
        #expect(try send("/x", token).status == 200)
        #expect(upstream.requests(at: "/x").map { $0.text.contains("forged") } == [false])
        let response = try send("/host", token)
        #expect(response.status == 200)
        #expect(upstream.requests(at: "/host").allSatisfy { $0.text.contains("Host: notes.example\r\n") })
        expectProblem(try send("/x", nil), 401, "invalid_access_token")
        expectProblem(try send("/admin/x", token), 403, "insufficient_role")
    }
}

@Suite("A cache at a guarded location")
struct GuardCacheTests {
    @Test("gives an answer only to the user who got it first, and to no client without a token")
    func ownAnswers() throws {
        let upstream = try UpstreamServer.echoing()
        let server = try ServerBehindNginx(
            locations: """
                location /notes/ {
                    proxy_cache notes;
                    proxy_cache_valid any 10m;
                    include snippets/gatehouse-guard.conf;
                    proxy_pass http://127.0.0.1:\(upstream.port);
                }
                """,
            http: "proxy_cache_path cache keys_zone=notes:1m;")
        let tokens = try ["a@example.com", "b@example.com"].map { try server.devLogin($0) }
        for _ in 1...2 {
            for login in tokens {
                let response = try server.send(.get("/notes/1", bearer: login.accessToken))
                #expect(response.status == 200)
                #expect(String(decoding: response.body, as: UTF8.self).contains("X-User-Id: \(login.userID)"))
            }
            #expect(try server.send(.get("/notes/1")).status == 401)
        }
        #expect(upstream.requests(at: "/notes/1").count == 2, "the second answers come from the cache")
    }
}
