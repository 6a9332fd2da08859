import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// RFC 9110, section 9.3.2: a response to HEAD has the headers of GET and no body.
@Suite("HEAD requests")
struct HeadTests {
    private static let paths = [
        "/api/users/me", "/api/users/me/sessions", "/api/users/me/accounts", "/api/users/me/export",
        "/.well-known/jwks.json", "/api/openapi-clients.json",
        "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration",
    ]
    private static let machinePaths = ["/healthz", "/readyz", "/metrics"]
    private static let environments = [TestEnvironment.handler, .nginx]

    private func ask(_ server: any TestServer, _ method: String, _ path: String, _ bearer: String?) throws
        -> TestResponse
    {
        let request = TestRequest(method: method, path: path, headers: TestRequest.get(path, bearer: bearer).headers)
        guard method == "HEAD", let webServer = server as? ServerBehindNginx else {
            return try server.send(request)
        }
        // curl would ignore a body, so the request is sent without it.
        let lines = ["HEAD \(path) HTTP/1.1", "Host: localhost", "Connection: close"]
        let headers = request.headers.map { "\($0.name): \($0.value)" }
        return try webServer.send(raw: (lines + headers).joined(separator: "\r\n") + "\r\n\r\n")
    }

    private func expectSameHeader(
        _ server: any TestServer, _ path: String, _ bearer: String? = nil, isExact: Bool = true
    )
        throws
    {
        let get = try ask(server, "GET", path, bearer)
        let head = try ask(server, "HEAD", path, bearer)
        #expect(head.status == get.status, "\(path)")
        #expect(head.body == [], "\(path)")
        for name in ["content-type", "cache-control", "www-authenticate", "etag", "content-disposition"] {
            #expect(head.header(name) == get.header(name), "\(path) \(name)")
        }
        guard isExact else { return }
        #expect(head.header("content-length") == get.header("content-length"), "\(path)")
    }

    @Test("HEAD has the headers of GET and no body", arguments: environments, paths)
    func headers(_ environment: TestEnvironment, _ path: String) throws {
        let server = try SharedServers.publishingKeys(environment)
        // Each path has its own user, because another login would make the list of sessions longer.
        let name = path.split(separator: "/").last ?? ""
        let token = try server.devLogin("head-\(name)@example.com").accessToken
        #expect(try ask(server, "HEAD", path, token).status == 200)
        // The export contains the current time, whose length varies.
        try expectSameHeader(server, path, token, isExact: path != "/api/users/me/export")
    }

    @Test("The operations endpoints answer HEAD as they answer GET", arguments: machinePaths)
    func operationsEndpoints(_ path: String) throws {
        try expectSameHeader(SharedServers.standard(.handler), path, isExact: path == "/healthz")
    }

    @Test("A refused HEAD has the headers of the refused GET and no body", arguments: environments)
    func refused(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        for (path, bearer) in [
            ("/api/users/me", nil), ("/api/users/me", "x"), ("/api/nothing", nil), ("/api/auth/refresh", nil),
            ("/.well-known/jwks.json", nil), ("/", nil),
        ] as [(String, String?)] { try expectSameHeader(server, path, bearer) }
        #expect(try ask(server, "HEAD", "/api/auth/refresh", nil).status == 405)
    }

    @Test("Every Allow header with GET also has HEAD", arguments: environments)
    func allowed(_ environment: TestEnvironment) throws {
        for path in Self.paths {
            let response = try SharedServers.publishingKeys(environment).send(.post(path, bearer: nil))
            #expect(response.status == 405)
            #expect(response.header("allow")?.hasPrefix("GET, HEAD") == true)
            #expect(response["detail"]?.string?.contains("GET, HEAD") == true)
        }
        // nginx itself refuses this method.
        guard environment == .nginx else { return }
        let traced = try SharedServers.standard(environment).send(
            TestRequest(method: "TRACE", path: "/api/users/me"))
        #expect(traced.status == 405)
        #expect(traced.header("allow") == "GET, HEAD, POST, PATCH, DELETE")
    }

    @Test("HEAD passes through the guard, and its refusals have no body")
    func guarded() throws {
        let fixture = try GuardFixture.shared.get()
        let token = try fixture.token(of: "head-guarded@example.com")
        let admitted = try ask(fixture.server, "HEAD", "/notes/head", token)
        #expect(admitted.status == 200)
        #expect(fixture.upstream.requests(at: "/notes/head").map(\.method) == ["HEAD"])
        for (path, bearer, status) in [
            ("/notes/x", nil, 401), ("/notes/x", "x", 401), ("/notes/admin/x", token, 403), ("/notes/x;y", token, 400),
            ("/gone/", token, 502),
        ] as [(path: String, bearer: String?, status: Int)] {
            #expect(try ask(fixture.server, "HEAD", path, bearer).status == status)
            try expectSameHeader(fixture.server, path, bearer)
        }
    }
}
