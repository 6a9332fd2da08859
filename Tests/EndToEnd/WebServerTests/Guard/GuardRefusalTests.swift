import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// If the verify response had a body, nginx would store it in a temporary file.
@Suite("Refusals by the guard")
struct GuardRefusalTests {
    private struct Refused {
        let path: String
        let bearer: String?
        let status: Int
    }

    private static let locations = """
        location /notes/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:1; }
        location /uploads/ {
            client_max_body_size 10m;
            include snippets/gatehouse-guard.conf;
            proxy_pass http://127.0.0.1:1;
        }
        location /notes/admin/ {
            set $gatehouse_role ADMIN;
            include snippets/gatehouse-guard.conf;
            proxy_pass http://127.0.0.1:1;
        }
        """

    private func refusals(of server: ServerBehindNginx) throws -> [Refused] {
        let token = try server.devLogin("refused@example.com").accessToken
        return [
            Refused(path: "/notes/1", bearer: nil, status: 401),
            Refused(path: "/notes/1", bearer: "x.y.z", status: 401),
            Refused(path: "/notes/admin/1", bearer: token, status: 403),
        ]
    }

    /// Sends all requests with one curl over one connection.
    private func ask(_ refused: Refused, of server: ServerBehindNginx, times count: Int) throws -> [String] {
        let credentials = refused.bearer.map { ["--header", "Authorization: Bearer \($0)"] } ?? []
        let output = try Shell.run(
            [
                "curl", "--silent", "--cacert", server.certificate, "--output", "/dev/null", "--write-out",
                "%{http_code}\n",
            ]
                + credentials + ["https://localhost:\(server.port)\(refused.path)?[1-\(count)]"])
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(
        "A thousand refusals make nginx open no file",
        .enabled(if: !TestDatabase.isOnServer, "about a file"),
        .enabled(if: NginxFileTrace.isPossible, "tracing nginx takes root"))
    func files() throws {
        let server = try ServerBehindNginx(locations: Self.locations)
        let refusals = try refusals(of: server)
        for refused in refusals { _ = try ask(refused, of: server, times: 1) }
        let trace = try NginxFileTrace(of: server)
        for refused in refusals {
            let statuses = try ask(refused, of: server, times: 340)
            #expect(statuses == Array(repeating: "\(refused.status)", count: 340))
        }
        // The body is larger than nginx's buffer. nginx must not store it for a refused request.
        var upload = TestRequest.get("/uploads/1", bearer: "x.y.z")
        (upload.method, upload.body) = ("POST", [UInt8](repeating: 120, count: 1_000_000))
        for version in ["--http1.1", "--http2"] {
            let status = try server.send(upload, options: [version]).status
            #expect(status == 401)
        }
        let token = try server.devLogin("unknown@example.com").accessToken
        try server.backend.breakRevocations()
        let undecided = try server.send(.get("/notes/1", bearer: token))
        expectProblem(undecided, 503, "service_unavailable")
        #expect(undecided.header("retry-after") == "5" && undecided.header("www-authenticate") == nil)
        server.backend.process.signal(SIGKILL)
        #expect(server.backend.process.wait() != nil)
        #expect(try server.send(.get("/notes/1")).status == 503)
        let calls = try trace.calls()
        #expect(calls.files == [])
        // Connections to the responder are reused.
        #expect(calls.connections < 50)
    }

    @Test("The responder's answer to a refused request has no body", arguments: [TestEnvironment.handler, .fastCGI])
    func bodiless(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let token = try server.devLogin("bodiless-\(environment)@example.com").accessToken
        for (bearer, role) in [(nil, nil), ("x", nil), (token, "ADMIN"), (token, "ADMNI")] as [(String?, String?)] {
            for method in ["GET", "HEAD", "POST"] {
                var request = TestRequest.get("/api/auth/verify", bearer: bearer)
                (request.method, request.demandedRole) = (method, role)
                let response = try server.send(request)
                #expect(response.status == (role == nil ? 401 : 403))
                #expect(response.body == [])
                #expect(response.header("content-length") == "0")
                #expect(response.header("content-type") == nil && response.header("x-user-id") == nil)
                #expect(response.header("www-authenticate")?.hasPrefix("Bearer") == true)
                for name in ["x-problem-code", "x-problem-detail"] { #expect(response.header(name)?.isEmpty == false) }
            }
        }
    }
}

@Suite("The guard's verify request")
struct GuardTests {
    @Test(
        "The method and the body of the guarded request do not matter",
        arguments: ["POST", "DELETE", "HEAD", "PROPFIND"])
    func anyMethod(_ method: String) throws {
        let server = try SharedServers.standard(.fastCGI)
        let login = try server.devLogin("any@example.com")
        var request = TestRequest.get("/api/auth/verify", bearer: login.accessToken)
        request.method = method
        request.body = [UInt8](repeating: 120, count: 70_000)
        #expect(try server.send(request).status == 204)
    }

    @Test(
        "The verify path is not reachable from outside, however it is spelled",
        arguments: [
            "/api/auth/verify", "/api/auth//verify", "/api/auth/./verify", "/api/auth/x/../verify",
            "/api/auth/%76erify", "/api/auth/verify/", "/api/auth/verify?x=1", "//api/auth/verify",
            "/api/auth/verify%2f", "/_gatehouse/verify", "/healthz", "/readyz", "/metrics",
        ])
    func notReachable(_ path: String) throws {
        let server = try SharedServers.standard(.nginx)
        let login = try server.devLogin("outside@example.com")
        let response = try server.send(.get(path, bearer: login.accessToken))
        #expect(response.status == 404)
        #expect(response.code == "not_found")
        #expect(response.header("x-user-id") == nil)
    }
}
