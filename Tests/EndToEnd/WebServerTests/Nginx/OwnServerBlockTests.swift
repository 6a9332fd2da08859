import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// The snippets included in a server block that already has a site.
@Suite("The API in the operator's own server block")
struct OwnServerBlockTests {
    private static let plainPort = Result { try FreePort.any() }
    private static let server = Result {
        try ServerBehindNginx(
            values: ["LOGIN_RATE": "1r/m", "LOGIN_BURST": "8"],
            site: """
                server_name example.test;
                access_log own.log;
                client_max_body_size 1m;
                error_page 404 /own-404.html;
                include snippets/gatehouse-site.conf;
                location / { add_header X-Own yes; return 200 own; }
                location /missing { return 404; }
                location = /own-404.html { return 200 "own error"; }
                location ~ \\.php$ { return 200 php; }
                location /notes/ {
                    include snippets/gatehouse-limits.conf;
                    include snippets/gatehouse-log.conf;
                    include snippets/gatehouse-guard.conf;
                    empty_gif;
                }
                }
                server {
                listen 127.0.0.1:\(try plainPort.get());
                server_name example.test;
                include snippets/gatehouse-site.conf;
                """)
    }
    private let server: ServerBehindNginx

    init() throws { server = try Self.server.get() }

    private func ask(_ request: TestRequest, options: [String] = []) throws -> TestResponse {
        var request = request
        request.headers.append(("Host", "example.test"))
        return try server.send(request, options: options)
    }

    private func text(_ response: TestResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    private var ownLog: String {
        (try? String(contentsOfFile: server.prefix + "/own.log", encoding: .utf8)) ?? ""
    }

    private func logIn() throws -> TestResponse {
        let body: JSONObject = ["email": "own@example.com", "devSecret": .string(ServerBehindNginx.devSecret)]
        return try ask(.post("/api/auth/dev-login", body))
    }

    @Test("The API and the guard are served, rate limited and logged to gatehouse.access.log only")
    func served() throws {
        let login = try logIn()
        #expect(login.status == 200)
        #expect(login.header("strict-transport-security") != nil)
        #expect(try ask(.get("/notes/1", bearer: login.accessToken)).status == 200)
        let refused = try ask(.get("/notes/2?secret=hidden"))
        #expect(refused.status == 401)
        #expect(refused.code == "invalid_access_token")
        let id = try #require(refused.header("x-request-id"))
        #expect(Eventually.holds { server.accessLog.contains(id) })
        var responses: [TestResponse] = []
        for _ in 0..<10 { responses.append(try logIn()) }
        let last = try #require(responses.last)
        #expect(last.status == 429)
        #expect(last.code == "too_many_requests")
        #expect(last.header("retry-after") != nil)
        #expect(!ownLog.contains("/notes/") && !ownLog.contains("/api/") && !ownLog.contains("hidden"))
    }

    @Test(
        "Internal paths are not reachable",
        arguments: [
            "/api/auth/verify", "/api/auth/./verify", "/api/auth/%76erify", "/healthz", "/readyz", "/metrics",
            "/_gatehouse/verify", "/_gatehouse/ready", "/_gatehouse/problem", "/_gatehouse/empty", "/api",
        ])
    func internalPaths(_ path: String) throws {
        let response = try ask(.get(path))
        #expect(response.status == 404)
        #expect(!text(response).contains("ready"))
    }

    @Test("The operator's errors, headers, body limits and log stay in force")
    func ownSite() throws {
        let page = try ask(.get("/anything"))
        #expect(text(page) == "own")
        #expect(page.header("x-own") == "yes")
        #expect(page.header("content-security-policy") == nil)
        let missing = try ask(.get("/missing"))
        #expect(missing.status == 404)
        #expect(text(missing) == "own error")
        var large = TestRequest.get("/upload")
        large.method = "POST"
        large.body = [UInt8](repeating: 120, count: 300_000)
        #expect(try ask(large, options: ["--http1.1"]).status == 200)
        #expect(Eventually.holds { ownLog.contains("/anything") })
        #expect(!server.accessLog.contains("/anything"))
        // The site's regular expressions do not match API paths.
        #expect(text(try ask(.get("/x.php"))) == "php")
        #expect(try ask(.get("/api/x.php")).code == "not_found")
    }

    @Test("Probes do not fill the error log while the responder is down")
    func probe() throws {
        let server = try ServerBehindNginx(
            values: ["PROBE_PATH": "/ready"],
            site: "server_name example.test; error_log own-error.log; include snippets/gatehouse-site.conf;")
        server.backend.process.signal(SIGKILL)
        #expect(server.backend.process.wait() != nil)
        var request = TestRequest.get("/ready")
        request.headers.append(("Host", "example.test"))
        #expect(try server.send(request).status == 503)
        #expect(try String(contentsOfFile: server.prefix + "/own-error.log", encoding: .utf8) == "")
    }

    @Test("The API is refused over plain HTTP")
    func plainHTTP() throws {
        let port = try Self.plainPort.get()
        let output = try Shell.run([
            "curl", "-si", "--max-time", "20", "-H", "Host: example.test", "http://127.0.0.1:\(port)/api/users/me",
        ])
        let response = TestResponse(parsing: output)
        #expect(response.status == 403)
        #expect(response.code == "https_required")
    }
}
