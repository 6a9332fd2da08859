import Foundation
import JSON
import TestSupport
import Testing

/// The API in a server block of an operator who has a site there already.
@Suite("A server block of the operator's own")
struct OwnServerTests {
    private static let plainPort = Result { try FreePort.any() }
    private static let house = Result {
        try FrontedHouse(
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
    private let house: FrontedHouse

    init() throws { house = try Self.house.get() }

    private func ask(_ call: Call, options: [String] = []) throws -> Answer {
        var call = call
        call.headers.append(("Host", "example.test"))
        return try house.send(call, options: options)
    }

    private func text(_ answer: Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

    private var ownLog: String {
        (try? String(contentsOfFile: house.prefix + "/own.log", encoding: .utf8)) ?? ""
    }

    private func logIn() throws -> Answer {
        let body: JSONObject = ["email": "own@example.com", "devSecret": .string(FrontedHouse.devSecret)]
        return try ask(.post("/api/auth/dev-login", body))
    }

    @Test("serves the API and the guard, limits them, and writes their lines into our log alone")
    func served() throws {
        let login = try logIn()
        #expect(login.status == 200)
        #expect(login.header("strict-transport-security") != nil)
        #expect(try ask(.get("/notes/1", bearer: login.accessToken)).status == 200)
        let refused = try ask(.get("/notes/2?secret=hidden"))
        #expect(refused.status == 401)
        #expect(refused.code == "invalid_access_token")
        let id = try #require(refused.header("x-request-id"))
        #expect(Eventually.holds { house.accessLog.contains(id) })
        var answers: [Answer] = []
        for _ in 0..<10 { answers.append(try logIn()) }
        let last = try #require(answers.last)
        #expect(last.status == 429)
        #expect(last.code == "too_many_requests")
        #expect(last.header("retry-after") != nil)
        #expect(!ownLog.contains("/notes/") && !ownLog.contains("/api/") && !ownLog.contains("hidden"))
    }

    @Test(
        "closes what is not for clients",
        arguments: [
            "/api/auth/verify", "/api/auth/./verify", "/api/auth/%76erify", "/healthz", "/readyz", "/metrics",
            "/_gatehouse/verify", "/_gatehouse/ready", "/_gatehouse/problem", "/_gatehouse/empty", "/api",
        ])
    func closed(_ path: String) throws {
        let answer = try ask(.get(path))
        #expect(answer.status == 404)
        #expect(!text(answer).contains("ready"))
    }

    @Test("keeps what is its own: errors, headers, sizes, log")
    func own() throws {
        let page = try ask(.get("/anything"))
        #expect(text(page) == "own")
        #expect(page.header("x-own") == "yes")
        #expect(page.header("content-security-policy") == nil)
        let missing = try ask(.get("/missing"))
        #expect(missing.status == 404)
        #expect(text(missing) == "own error")
        var large = Call.get("/upload")
        large.method = "POST"
        large.body = [UInt8](repeating: 120, count: 300_000)
        #expect(try ask(large, options: ["--http1.1"]).status == 200)
        #expect(Eventually.holds { ownLog.contains("/anything") })
        #expect(!house.accessLog.contains("/anything"))
        // Its regular expressions do not take paths of the API.
        #expect(text(try ask(.get("/x.php"))) == "php")
        #expect(try ask(.get("/api/x.php")).code == "not_found")
    }

    @Test("gets no line of the probe into its error log while the responder is down")
    func probe() throws {
        let house = try FrontedHouse(
            values: ["PROBE_PATH": "/ready"],
            site: "server_name example.test; error_log own-error.log; include snippets/gatehouse-site.conf;")
        house.served.process.signal(SIGKILL)
        #expect(house.served.process.wait() != nil)
        var call = Call.get("/ready")
        call.headers.append(("Host", "example.test"))
        #expect(try house.send(call).status == 503)
        #expect(try String(contentsOfFile: house.prefix + "/own-error.log", encoding: .utf8) == "")
    }

    @Test("refuses the API over plain HTTP")
    func plain() throws {
        let port = try Self.plainPort.get()
        let output = try Shell.run([
            "curl", "-si", "--max-time", "20", "-H", "Host: example.test", "http://127.0.0.1:\(port)/api/users/me",
        ])
        let answer = Answer(parsing: output)
        #expect(answer.status == 403)
        #expect(answer.code == "https_required")
    }
}
