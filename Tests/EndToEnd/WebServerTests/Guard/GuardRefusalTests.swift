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
        let code: String
        let challenge: String
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
        let invalid = "Bearer error=\"invalid_token\", error_description=\"invalid_access_token\""
        let role = "Bearer error=\"insufficient_scope\", error_description=\"insufficient_role\", scope=\"ADMIN\""
        return [
            Refused(path: "/notes/1", bearer: nil, status: 401, code: "invalid_access_token", challenge: "Bearer"),
            Refused(path: "/notes/1", bearer: "x.y.z", status: 401, code: "invalid_access_token", challenge: invalid),
            Refused(path: "/notes/admin/1", bearer: token, status: 403, code: "insufficient_role", challenge: role),
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
        #expect(try server.send(.get("/notes/1", bearer: token)).status == 503)
        server.backend.process.signal(SIGKILL)
        #expect(server.backend.process.wait() != nil)
        #expect(try server.send(.get("/notes/1")).status == 503)
        let calls = try trace.calls()
        #expect(calls.files == [])
        // Connections to the responder are reused.
        #expect(calls.connections < 50)
    }

    @Test(
        "A refusal is complete when the disk for nginx's temporary files is full",
        .enabled(if: !TestDatabase.isOnServer, "about a file"),
        .enabled(if: SmallDisk.isPossible, "mounting a disk takes root"))
    func fullDisk() throws {
        let disk = try SmallDisk(kibibytes: 256)
        let server = try ServerBehindNginx(values: ["TEMP": disk.path], locations: Self.locations)
        let refusals = try refusals(of: server)
        try disk.fill()
        for refused in refusals {
            for _ in 0..<5 {
                let response = try server.send(.get(refused.path, bearer: refused.bearer))
                expectProblem(response, refused.status, refused.code)
                #expect(response.header("www-authenticate") == refused.challenge)
                #expect(response["title"]?.string == (refused.status == 401 ? "Unauthorized" : "Forbidden"))
                #expect(response["detail"]?.string?.isEmpty == false)
                #expect(response["requestId"]?.string == response.header("x-request-id"))
            }
        }
        let token = try server.devLogin("unknown@example.com").accessToken
        try server.backend.breakRevocations()
        try expectUnavailable(server.send(.get("/notes/1", bearer: token)))
        server.backend.process.signal(SIGKILL)
        #expect(server.backend.process.wait() != nil)
        try expectUnavailable(server.send(.get("/notes/1", bearer: token)))
    }

    private func expectUnavailable(_ response: TestResponse) {
        expectProblem(response, 503, "service_unavailable")
        #expect(response.header("retry-after") == "5")
        #expect(response.header("www-authenticate") == nil)
    }

    @Test(
        "The responder's answer has no body when the store fails",
        .enabled(if: !TestDatabase.isOnServer, "about a file"))
    func storeFails() throws {
        let server = try ServerProcess()
        let token = try server.devLogin("storeless@example.com").accessToken
        try server.breakRevocations()
        let response = try server.verify(token)
        #expect(response.status == 503)
        #expect(response.body == [])
        #expect(response.header("x-problem-code") == "storage_unavailable")
        #expect(response.header("retry-after") == "5")
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
                #expect(response.header("content-type") == nil)
                #expect(response.header("www-authenticate")?.hasPrefix("Bearer") == true)
                for name in ["x-problem-code", "x-problem-detail"] { #expect(response.header(name)?.isEmpty == false) }
            }
        }
    }
}
