import Foundation
import JSON
import TestSupport
import Testing

/// The two lines that guard a location of any other service.
@Suite("A guarded service")
struct GuardedServiceTests {
    private let stand: GuardedStand

    init() throws { stand = try GuardedStand.shared.get() }

    private func call(_ method: String, _ path: String, _ bearer: String?, body: [UInt8] = []) -> Call {
        var call = Call.get(path, bearer: bearer)
        call.method = method
        call.body = body
        return call
    }

    @Test("is told who asks, and nothing to impersonate them with")
    func admitted() throws {
        let login = try stand.house.devLogin("guarded@example.com")
        let answer = try stand.house.send(call("POST", "/notes/1", login.accessToken, body: Array("ten notes".utf8)))
        #expect(answer.status == 200)
        let arrived = try #require(UpstreamRequest(whole: answer.body))
        #expect(arrived.method == "POST")
        #expect(arrived.target == "/notes/1")
        #expect(arrived.body == Array("ten notes".utf8))
        #expect(arrived.values(of: "X-User-Id") == [login["user"]?.object?["id"]?.string ?? ""])
        #expect(arrived.values(of: "X-User-Role") == ["USER"])
        #expect(arrived.values(of: "X-Session-Id").first?.hasPrefix("sess_") == true)
        #expect(arrived.values(of: "X-Request-Id") == [answer.header("x-request-id") ?? ""])
        #expect(arrived.values(of: "Authorization") == [])
        #expect(!arrived.text.contains(login.accessToken))
    }

    @Test("is asked under its own name, whatever host the client names, and no redirect repeats that")
    func host() throws {
        let login = try stand.house.devLogin("host@example.com")
        var asked = call("GET", "/notes/host", login.accessToken)
        asked.headers.append(("Host", "evil.example"))
        let arrived = try #require(UpstreamRequest(whole: try stand.house.send(asked).body))
        #expect(arrived.values(of: "Host") == ["localhost"])
        // Without its last slash, nginx redirects to the location.
        asked.path = "/notes"
        #expect(try stand.house.send(asked).header("location") == "/notes/")
    }

    @Test("is not asked by anybody else, who are told why in our shape")
    func refused() throws {
        let house = stand.house
        let login = try house.devLogin("leaving@example.com")
        _ = try house.send(.post("/api/auth/logout", bearer: login.accessToken))
        for (bearer, code, challenge) in [
            (nil, "invalid_access_token", "Bearer"),
            ("x", "invalid_access_token", invalidToken("invalid_access_token")),
            (login.accessToken, "session_revoked", invalidToken("session_revoked")),
        ] {
            let answer = try house.send(call("POST", "/notes/refused", bearer, body: [1]))
            try expectProblem(answer, 401, code)
            #expect(answer.header("www-authenticate") == challenge)
            #expect(answer.count(ofHeader: "www-authenticate") == 1)
            // The sentence is the one that the API itself says.
            let own = try house.send(.get("/api/users/me", bearer: bearer))
            #expect(answer["detail"]?.string == own["detail"]?.string)
        }
        #expect(stand.upstream.arrivals(at: "/notes/refused").isEmpty)
    }

    private func invalidToken(_ code: String) -> String {
        "Bearer error=\"invalid_token\", error_description=\"\(code)\""
    }

    @Test("is guarded whatever the method", arguments: ["HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
    func methods(_ method: String) throws {
        let token = try stand.token(of: "methods@example.com")
        #expect(try stand.house.send(call(method, "/notes/method-\(method)", nil)).status == 401)
        #expect(stand.upstream.arrivals(at: "/notes/method-\(method)").isEmpty)
        #expect(try stand.house.send(call(method, "/notes/method-\(method)", token)).status == 200)
        #expect(stand.upstream.arrivals(at: "/notes/method-\(method)").map(\.method) == [method])
    }

    @Test(
        "gets the whole body, however it is sent",
        arguments: ["--http1.1", "--http2"], [nil, ("Transfer-Encoding", "chunked"), ("Expect", "100-continue")])
    func bodies(_ version: String, _ header: (String, String)?) throws {
        let token = try stand.token(of: "bodies@example.com")
        for size in [1, 1000, 65_536] {
            var call = call("POST", "/notes/body", token, body: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            if let header { call.headers.append(header) }
            var answer = try stand.house.send(call, options: [version])
            if answer.status == 100 { answer = Answer(parsing: answer.body) }
            #expect(answer.status == 200)
            #expect(UpstreamRequest(whole: answer.body)?.body == call.body)
        }
    }

    @Test(
        "gets no body over the limit",
        arguments: ["--http1.1", "--http2"], [nil, ("Transfer-Encoding", "chunked")])
    func tooLarge(_ version: String, _ header: (String, String)?) throws {
        let token = try stand.token(of: "large@example.com")
        var call = call("POST", "/notes/large", token, body: [UInt8](repeating: 120, count: 65_537))
        if let header { call.headers.append(header) }
        try expectProblem(try stand.house.send(call, options: [version]), 413, "payload_too_large")
        #expect(stand.upstream.arrivals(at: "/notes/large").isEmpty)
    }

    @Test("may take larger bodies, and is guarded all the same", arguments: ["--http1.1", "--http2"])
    func ownLimit(_ version: String) throws {
        let token = try stand.token(of: "upload@example.com")
        let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let refused = try stand.house.send(call("POST", "/uploads/no", "x", body: body), options: [version])
        try expectProblem(refused, 401, "invalid_access_token")
        #expect(stand.upstream.arrivals(at: "/uploads/no").isEmpty)
        let answer = try stand.house.send(call("POST", "/uploads/yes", token, body: body), options: [version])
        #expect(answer.status == 200)
        #expect(UpstreamRequest(whole: answer.body)?.body == body)
        let larger = [UInt8](repeating: 120, count: 2_097_153)
        let tooLarge = try stand.house.send(call("POST", "/uploads/too", token, body: larger), options: [version])
        try expectProblem(tooLarge, 413, "payload_too_large")
    }

    @Test("asks for a body only of those whom it lets in")
    func expectation() throws {
        let head = "POST /notes/expect HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 4\r\n"
        let request = head + "Expect: 100-continue\r\n\r\nnote"
        #expect(try stand.house.send(raw: request).status == 401)
    }

    @Test(
        "answers for itself: what it refuses, or says in its headers, passes untouched",
        arguments: [401, 403, 404, 500])
    func untouched(_ status: Int) throws {
        let upstream = try Upstream { _ in
            UpstreamReply(
                status: "\(status) Mine", headers: [("WWW-Authenticate", "Mine"), ("X-Frame-Options", "SAMEORIGIN")],
                body: Array("mine".utf8))
        }
        let house = try FrontedHouse(
            locations: """
                location /mine/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port); }
                """)
        let token = try house.devLogin("mine@example.com").accessToken
        let answer = try house.send(.get("/mine/", bearer: token))
        #expect(answer.status == status)
        #expect(answer.body == Array("mine".utf8))
        #expect(answer.headers.filter { $0.name == "www-authenticate" }.map(\.value) == ["Mine"])
        #expect(answer.headers.filter { $0.name == "x-frame-options" }.map(\.value) == ["SAMEORIGIN"])
    }

    @Test("that is gone is 502, and one that nginx is told to deny 403, without a challenge")
    func gone() throws {
        let token = try stand.token(of: "gone@example.com")
        for (path, status, code) in [("/gone/", 502, "bad_gateway"), ("/denied/", 403, "forbidden")] {
            let answer = try stand.house.send(.get(path, bearer: token))
            try expectProblem(answer, status, code)
            #expect(answer.count(ofHeader: "www-authenticate") == 0)
        }
    }

    @Test("may have headers and error pages of its own, and stays guarded")
    func own() throws {
        let token = try stand.token(of: "own@example.com")
        try expectProblem(try stand.house.send(.get("/own/", bearer: nil)), 401, "invalid_access_token")
        let answer = try stand.house.send(.get("/own/", bearer: token))
        #expect(answer.status == 200)
        #expect(answer.header("x-own") == "yes")
    }

    @Test("is closed while nobody can say who asks", arguments: [SIGKILL, SIGSTOP])
    func failsClosed(_ signal: Int32) throws {
        let upstream = try Upstream.echoing()
        let house = try FrontedHouse(
            values: ["RESPONDER_TIMEOUT": "1s"],
            locations: """
                location /notes/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port); }
                """)
        let token = try house.devLogin("closed@example.com").accessToken
        house.served.process.signal(signal)
        if signal == SIGKILL { #expect(house.served.process.wait() != nil) }
        let answer = try house.send(call("POST", "/notes/closed", token, body: [1]))
        house.served.process.signal(SIGCONT)
        try expectProblem(answer, 503, "service_unavailable")
        #expect(answer.header("retry-after") != nil)
        #expect(upstream.arrivals(at: "/notes/closed").isEmpty)
    }

    @Test("may be another host, which has to include the internal locations")
    func otherSite() throws {
        let upstream = try Upstream.echoing()
        let house = try FrontedHouse(
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
        let token = try house.devLogin("other@example.com").accessToken
        func send(_ path: String, _ bearer: String?) throws -> Answer {
            var call = Call.get(path, bearer: bearer)
            call.headers += [("Host", "notes.example"), ("X_User_Id", "forged")]
            return try house.send(call)
        }
        #expect(try send("/x", token).status == 200)
        #expect(upstream.arrivals(at: "/x").map { $0.text.contains("forged") } == [false])
        let asked = try send("/host", token)
        #expect(asked.status == 200)
        #expect(upstream.arrivals(at: "/host").allSatisfy { $0.text.contains("Host: notes.example\r\n") })
        try expectProblem(try send("/x", nil), 401, "invalid_access_token")
        try expectProblem(try send("/admin/x", token), 403, "insufficient_role")
    }

    private func expectProblem(_ answer: Answer, _ status: Int, _ code: String) throws {
        #expect(answer.status == status)
        #expect(answer.code == code)
        #expect(answer.header("content-type") == "application/problem+json")
        #expect(answer["requestId"]?.string == answer.header("x-request-id"))
    }
}
