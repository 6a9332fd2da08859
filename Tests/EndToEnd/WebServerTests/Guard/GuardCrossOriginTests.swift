import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Guarded locations for pages of other origins")
struct GuardCrossOriginTests {
    private struct Fixture {
        let server: ServerBehindNginx
        let upstream: UpstreamServer
    }

    private static let fixture = Result {
        let upstream = try UpstreamServer { request in
            switch request.target {
            case "/notes/own": UpstreamResponse(headers: [("Access-Control-Allow-Origin", "https://own.example")])
            case "/notes/varied": UpstreamResponse(headers: [("Vary", "Accept-Encoding, origin")])
            case "/notes/encoded": UpstreamResponse(headers: [("Vary", "Accept-Encoding")])
            case "/notes/broken": UpstreamResponse(status: "500 Internal Server Error")
            default: UpstreamResponse(body: request.bytes)
            }
        }
        let pass = "include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port)"
        let server = try ServerBehindNginx(
            values: CrossOrigin.setting,
            locations: """
                location /notes/ { \(pass); }
                location /admin/ { set $gatehouse_role ADMIN; \(pass); }
                location /files/ { include snippets/gatehouse-guard.conf; empty_gif; }
                location /gone/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:1; }
                location /matching/ { set $gatehouse_cors_headers "Authorization, If-Match"; \(pass); }
                location /discarding/ { \(pass); add_header X-Own yes always; }
                location /adding/ { \(pass); add_header X-Own yes always; include snippets/gatehouse-cors.conf; }
                location /denied/ { deny all; \(pass); }
                location /open/ { proxy_pass http://127.0.0.1:\(upstream.port); }
                """,
            site: """
                server_name example.test;
                add_header X-Server yes always;
                include snippets/gatehouse-site.conf;
                location /notes/ {
                    include snippets/gatehouse-limits.conf;
                    include snippets/gatehouse-log.conf;
                    \(pass);
                }
                """)
        return Fixture(server: server, upstream: upstream)
    }
    private let server: ServerBehindNginx
    private let upstream: UpstreamServer

    init() throws {
        let fixture = try Self.fixture.get()
        (server, upstream) = (fixture.server, fixture.upstream)
    }

    private func token() throws -> String { try server.devLogin("cross-origin@example.com").accessToken }

    private func ask(
        _ path: String, _ token: String?, from origin: String? = CrossOrigin.allowed
    ) throws -> TestResponse {
        try server.send(.get(path, bearer: token).from(origin))
    }

    @Test(
        "nginx answers the preflight of a page of CORS_ORIGINS without a token, and the service does not get it",
        arguments: ["/notes/asked", "/admin/asked", "/gone/asked", "/discarding/asked", "/denied/asked"])
    func preflight(_ path: String) throws {
        let answer = try server.send(CrossOrigin.preflight(path))
        #expect(answer.status == 204 && answer.body == [])
        expectReadable(answer)
        #expect(answer.header("access-control-allow-methods") == "GET, HEAD, POST, PUT, PATCH, DELETE")
        #expect(answer.header("access-control-allow-headers") == "Authorization, Content-Type, DPoP, Accept-Language")
        #expect(answer.header("access-control-max-age") == "600")
        #expect(answer.header("x-content-type-options") == "nosniff")
        #expect(upstream.requests(at: path).isEmpty)
    }

    @Test("The preflight of another origin needs a token, as every request does", arguments: CrossOrigin.refused)
    func otherPreflight(_ origin: String?) throws {
        let answer = try server.send(CrossOrigin.preflight("/notes/1", from: origin))
        expectProblem(answer, 401, "invalid_access_token")
        expectUnreadable(answer)
    }

    @Test("OPTIONS without a method to ask for is no preflight, and reaches the service with a token alone")
    func options() throws {
        var request = TestRequest.get("/notes/options").from(CrossOrigin.allowed)
        request.method = "OPTIONS"
        expectProblem(try server.send(request), 401, "invalid_access_token")
        #expect(upstream.requests(at: "/notes/options").isEmpty)
        request.headers.append(("Authorization", "Bearer \(try token())"))
        #expect(try server.send(request).status == 200)
        #expect(upstream.requests(at: "/notes/options").count == 1)
    }

    @Test("A location may permit further headers")
    func headers() throws {
        let answer = try server.send(CrossOrigin.preflight("/matching/1"))
        #expect(answer.header("access-control-allow-headers") == "Authorization, If-Match")
    }

    @Test("A page of CORS_ORIGINS may read each answer: of the service, of nginx and of the guard")
    func readable() throws {
        let token = try token()
        for (path, bearer, status) in [
            ("/notes/1", token, 200), ("/files/1", token, 200), ("/notes/broken", token, 500), ("/notes/1", nil, 401),
            ("/notes/1", "x.y.z", 401), ("/admin/1", token, 403), ("/notes/..;/1", token, 400), ("/gone/1", token, 502),
            ("/denied/1", token, 403),
        ] {
            let answer = try ask(path, bearer)
            #expect(answer.status == status)
            expectReadable(answer)
            if status == 401 { #expect(answer.header("www-authenticate") != nil) }
        }
        var large = TestRequest.post("/notes/1", bearer: token).from(CrossOrigin.allowed)
        large.body = [UInt8](repeating: 120, count: 70_000)
        let refused = try server.send(large)
        expectProblem(refused, 413, "payload_too_large")
        expectReadable(refused)
    }

    @Test("Pages of other origins may read none, and get the answer as before", arguments: CrossOrigin.refused)
    func unreadable(_ origin: String?) throws {
        let token = try token()
        for (path, bearer, status) in [
            ("/notes/1", token, 200), ("/notes/1", nil, 401), ("/admin/1", token, 403), ("/gone/1", token, 502),
        ] {
            let answer = try ask(path, bearer, from: origin)
            #expect(answer.status == status)
            expectUnreadable(answer)
            #expect(answer.header("vary") == "Origin")
        }
    }

    @Test("The service's own header is kept, and nothing is sent twice")
    func own() throws {
        let token = try token()
        let own = try ask("/notes/own", token)
        #expect(own.headers.filter { $0.name.hasPrefix("access-control-") }.map(\.value) == ["https://own.example"])
        let varied = try ask("/notes/varied", token)
        #expect(varied.headers.filter { $0.name == "vary" }.map(\.value) == ["Accept-Encoding, origin"])
        let encoded = try ask("/notes/encoded", token)
        #expect(encoded.headers.filter { $0.name == "vary" }.map(\.value) == ["Accept-Encoding", "Origin"])
        for answer in [varied, encoded] {
            #expect(answer.headers.filter { $0.name == "access-control-allow-origin" }.count == 1)
        }
    }

    @Test("A location with an add_header of its own needs snippets/gatehouse-cors.conf; refusals do without")
    func ownHeader() throws {
        let token = try token()
        let discarding = try ask("/discarding/1", token)
        expectUnreadable(discarding)
        #expect(discarding.header("x-own") == "yes")
        expectReadable(try ask("/discarding/1", nil))
        let adding = try ask("/adding/1", token)
        expectReadable(adding)
        #expect(adding.header("x-own") == "yes")
    }

    @Test("A location without the guard has no such header")
    func unguarded() throws {
        let answer = try ask("/open/1", nil)
        #expect(answer.status == 200)
        expectUnreadable(answer)
        #expect(answer.header("vary") == nil)
        #expect(try server.send(CrossOrigin.preflight("/open/2")).status == 200)
        #expect(upstream.requests(at: "/open/2").count == 1)
    }

    @Test("The same in a server block of the operator, whose own headers stay")
    func ownServer() throws {
        let token = try token()
        func send(_ request: TestRequest) throws -> TestResponse {
            var request = request
            request.headers.append(("Host", "example.test"))
            return try server.send(request)
        }
        let answer = try send(.get("/notes/1", bearer: token).from(CrossOrigin.allowed))
        #expect(answer.status == 200 && answer.header("x-server") == "yes")
        expectReadable(answer)
        let refused = try send(.get("/notes/1").from(CrossOrigin.allowed))
        expectProblem(refused, 401, "invalid_access_token")
        expectReadable(refused)
        let preflight = try send(CrossOrigin.preflight("/notes/1"))
        #expect(preflight.status == 204)
        expectReadable(preflight)
        expectUnreadable(try send(.get("/notes/1", bearer: token).from("https://other.example")))
    }

    @Test("A page may read that it has sent too many requests")
    func limited() throws {
        let limited = try ServerBehindNginx(
            values: CrossOrigin.setting.merging(["API_RATE": "1r/m", "API_BURST": "1"]) { $1 },
            locations: "location /notes/ { include snippets/gatehouse-guard.conf; empty_gif; }")
        let answers = try (0..<4).map { _ in try limited.send(.get("/notes/1").from(CrossOrigin.allowed)) }
        let last = try #require(answers.last)
        expectProblem(last, 429, "too_many_requests")
        expectReadable(last)
        #expect(try limited.send(CrossOrigin.preflight("/notes/1")).status == 204)
    }

    @Test("Without CORS_ORIGINS a preflight needs a token, and no answer has such a header")
    func off() throws {
        let server = try GuardFixture.shared.get().server
        expectProblem(try server.send(CrossOrigin.preflight("/notes/1")), 401, "invalid_access_token")
        let token = try server.devLogin("no-origins@example.com").accessToken
        let answer = try server.send(.get("/notes/1", bearer: token).from(CrossOrigin.allowed))
        #expect(answer.status == 200 && answer.header("vary") == nil)
        expectUnreadable(answer)
    }
}
