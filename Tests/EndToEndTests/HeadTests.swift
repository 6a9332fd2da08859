import JSON
import TestSupport
import Testing

/// RFC 9110, section 9.3.2: the header of a GET, and no body.
@Suite("HEAD")
struct HeadTests {
    private static let paths = [
        "/api/users/me", "/api/users/me/sessions", "/api/users/me/accounts", "/api/users/me/export",
        "/.well-known/jwks.json",
    ]
    private static let machinePaths = ["/healthz", "/readyz", "/metrics"]

    private func ask(_ house: any House, _ method: String, _ path: String, _ bearer: String?) throws -> Answer {
        let call = Call(method: method, path: path, headers: Call.get(path, bearer: bearer).headers)
        guard method == "HEAD", let fronted = house as? FrontedHouse else { return try house.send(call) }
        // curl would not read a body that should not be there.
        let lines = ["HEAD \(path) HTTP/1.1", "Host: localhost", "Connection: close"]
        let headers = call.headers.map { "\($0.name): \($0.value)" }
        return try fronted.send(raw: (lines + headers).joined(separator: "\r\n") + "\r\n\r\n")
    }

    private func expectSameHeader(_ house: any House, _ path: String, _ bearer: String? = nil, isExact: Bool = true)
        throws
    {
        let get = try ask(house, "GET", path, bearer)
        let head = try ask(house, "HEAD", path, bearer)
        #expect(head.status == get.status, "\(path)")
        #expect(head.body == [], "\(path)")
        for name in ["content-type", "cache-control", "www-authenticate", "etag", "content-disposition"] {
            #expect(head.header(name) == get.header(name), "\(path) \(name)")
        }
        guard isExact else { return }
        #expect(head.header("content-length") == get.header("content-length"), "\(path)")
    }

    @Test("is answered as GET is, without a body", arguments: World.allCases, paths)
    func success(_ world: World, _ path: String) throws {
        let house = try Houses.publishing(world)
        // A user for each path: another login would make the list of sessions longer.
        let name = path.split(separator: "/").last ?? ""
        let token = try house.devLogin("head-\(name)@example.com").accessToken
        #expect(try ask(house, "HEAD", path, token).status == 200)
        // The time of an export is in it, and its length is not always the same.
        try expectSameHeader(house, path, token, isExact: path != "/api/users/me/export")
    }

    @Test("is answered as GET is where the machine itself asks", arguments: [World.handler, .fastCGI], machinePaths)
    func machine(_ world: World, _ path: String) throws {
        try expectSameHeader(Houses.of(world), path, isExact: path == "/healthz")
    }

    @Test("is refused as GET is, without a body", arguments: World.allCases)
    func refused(_ world: World) throws {
        let house = try Houses.of(world)
        for (path, bearer) in [
            ("/api/users/me", nil), ("/api/users/me", "x"), ("/api/nothing", nil), ("/api/auth/refresh", nil),
            ("/.well-known/jwks.json", nil), ("/", nil),
        ] as [(String, String?)] { try expectSameHeader(house, path, bearer) }
        #expect(try ask(house, "HEAD", "/api/auth/refresh", nil).status == 405)
    }

    @Test("is named by every Allow that names GET", arguments: World.allCases)
    func allowed(_ world: World) throws {
        for path in Self.paths {
            let answer = try Houses.publishing(world).send(.post(path, bearer: nil))
            #expect(answer.status == 405)
            #expect(answer.header("allow")?.hasPrefix("GET, HEAD") == true)
            #expect(answer["detail"]?.string?.contains("GET, HEAD") == true)
        }
        // A method that nginx itself refuses.
        guard world == .nginx else { return }
        let traced = try Houses.of(world).send(Call(method: "TRACE", path: "/api/users/me"))
        #expect(traced.status == 405)
        #expect(traced.header("allow") == "GET, HEAD, POST, PATCH, DELETE")
    }

    @Test("of a guarded location reaches the service, and is refused without a body")
    func guarded() throws {
        let stand = try GuardedStand.shared.get()
        let token = try stand.token(of: "head-guarded@example.com")
        let admitted = try ask(stand.house, "HEAD", "/notes/head", token)
        #expect(admitted.status == 200)
        #expect(stand.upstream.arrivals(at: "/notes/head").map(\.method) == ["HEAD"])
        for (path, bearer, status) in [
            ("/notes/x", nil, 401), ("/notes/x", "x", 401), ("/notes/admin/x", token, 403), ("/notes/x;y", token, 400),
            ("/gone/", token, 502),
        ] as [(String, String?, Int)] {
            #expect(try ask(stand.house, "HEAD", path, bearer).status == status)
            try expectSameHeader(stand.house, path, bearer)
        }
    }
}
