import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// nginx has one port. The balancer forwards what it received over HTTPS and over HTTP, and
/// attackers connect to it directly.
@Suite(
    "TLS terminated at a load balancer", .needs(.time),
    .enabled(if: ServerBehindBalancer.obstacle == nil, ServerBehindBalancer.reason))
struct BalancerTests {
    private static let server = Result {
        try ServerBehindBalancer(
            ["TLS": "balancer", "TRUSTED_PROXIES": ServerBehindBalancer.trusted, "PROBE_PATH": "/ready"],
            locations: """
                location /notes/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:3000; }
                """)
    }
    private let server: ServerBehindBalancer

    init() throws { server = try Self.server.get() }

    @Test("Requests that the balancer received over HTTPS are served with HSTS and without a redirect")
    func https() throws {
        let headers = ["X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"]
        for source in [ServerBehindBalancer.balancer, ServerBehindBalancer.balancer6, ServerBehindBalancer.secondProxy]
        {
            let login = try server.devLogin(from: source, headers)
            #expect(login.status == 200, "\(source)")
            #expect(login.header("strict-transport-security") == "max-age=300")
        }
        let unknown = try server.ask("/", from: ServerBehindBalancer.balancer, headers)
        #expect(unknown.status == 404)
        #expect(unknown.header("location") == nil)
    }

    @Test(
        "X-Forwarded-Proto counts only from a trusted proxy and only with the exact value https",
        arguments: [
            (ServerBehindBalancer.balancer, "https", true), (ServerBehindBalancer.balancer, "HTTPS", true),
            (ServerBehindBalancer.balancer, "http", false), (ServerBehindBalancer.balancer, nil, false),
            (ServerBehindBalancer.balancer, "https,http", false), (ServerBehindBalancer.balancer, "https http", false),
            (ServerBehindBalancer.attacker, "https", false), (ServerBehindBalancer.attacker6, "https", false),
            (ServerBehindBalancer.attacker, nil, false),
        ])
    func forwardedProto(_ source: String, _ word: String?, _ isSecure: Bool) throws {
        var headers = ["X-Forwarded-For": ServerBehindBalancer.balancer]
        headers["X-Forwarded-Proto"] = word
        let response = try server.ask("/api/users/me", from: source, headers)
        #expect(response.status == (isSecure ? 401 : 403))
        #expect(response.code == (isSecure ? "invalid_access_token" : "https_required"))
        #expect((response.header("strict-transport-security") != nil) == isSecure)
        let page = try server.ask("/page?a=b", from: source, headers)
        #expect(page.status == (isSecure ? 404 : 308))
        #expect(page.header("location") == (isSecure ? nil : "https://api.example.com/page?a=b"))
    }

    @Test(
        "The API is refused over plain HTTP, however the path is spelled",
        arguments: [
            "/api", "/api/", "/api/users/me?x=1", "/api/auth/verify", "//api/users/me", "/%61pi/users/me",
            "/x/../api/users/me", "/_gatehouse/../api/users/me",
        ])
    func pathSpellings(_ path: String) throws {
        for headers in [[:], ["X-Forwarded-Proto": "http"]] {
            let response = try server.ask(path, from: ServerBehindBalancer.balancer, headers)
            #expect(response.status == 403)
            #expect(response.code == "https_required")
        }
    }

    @Test(
        "The internal locations are not reachable", arguments: ["verify", "problem", "ready", "empty", "plain/x", "x"])
    func internalLocations(_ name: String) throws {
        for headers in [[:], ["X-Forwarded-Proto": "https"]] {
            #expect(
                try server.ask("/_gatehouse/" + name, from: ServerBehindBalancer.balancer, headers).status == 404)
        }
    }

    @Test("A request with a token is refused over plain HTTP at every path")
    func token() throws {
        let response = try server.ask(
            "/notes/1", from: ServerBehindBalancer.balancer, ["Authorization": "Bearer x"])
        #expect(response.status == 403)
        #expect(response.code == "https_required")
    }

    @Test("A guarded service gets the client's address, the scheme and the host name")
    func guardedService() throws {
        let headers = ["X-Forwarded-Proto": "https", "X-Forwarded-For": "198.51.100.3, 192.0.2.1, 10.0.1.7"]
        let token = try server.devLogin(from: ServerBehindBalancer.balancer, headers).accessToken
        let all = headers.merging(["Authorization": "Bearer \(token)"]) { _, new in new }
        for host in ["api.example.com", "login.example.com"] {
            let response = try server.ask("/notes/1", from: ServerBehindBalancer.balancer, all, host: host)
            #expect(response.status == 200)
            let seen = String(decoding: response.body, as: UTF8.self)
            #expect(seen.hasPrefix("192.0.2.1 https api.example.com user_"), "\(seen)")
        }
    }

    @Test("The access log contains the client's address")
    func logged() throws {
        let headers = ["X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.77"]
        _ = try server.ask("/api/users/me", from: ServerBehindBalancer.balancer, headers)
        #expect(Eventually.holds { server.accessLog.contains(#""address":"192.0.2.77""#) })
    }

    @Test(
        "The probe path answers under any host name and from any address",
        arguments: ["10.0.0.1", "10.0.0.1:80", "[fd00::1]", "api.example.com", "else.example", nil] as [String?])
    func probe(_ host: String?) throws {
        for source in [ServerBehindBalancer.balancer, ServerBehindBalancer.attacker, ServerBehindBalancer.balancer6] {
            let response = try server.ask("/ready", from: source, host: host)
            #expect(response.status == 200)
            #expect(response.body == [])
            #expect(response.header("cache-control") == "no-store")
        }
        #expect(!server.accessLog.contains(#""path":"/ready""#))
    }

    @Test(
        "The responder's own paths are not reachable",
        arguments: ["/readyz", "/healthz", "/metrics", "/ready/", "/READY"])
    func otherPaths(_ path: String) throws {
        let headers = ["X-Forwarded-Proto": "https"]
        #expect(try server.ask(path, from: ServerBehindBalancer.balancer, headers, host: "10.0.0.1").status == 404)
    }
}

@Suite("The probe path of nginx", .enabled(if: ServerBehindBalancer.obstacle == nil, ServerBehindBalancer.reason))
struct BalancerProbeTests {
    @Test("It is not rate limited, and answers 503 with an empty body when the responder is down")
    func responderDown() throws {
        let server = try ServerBehindBalancer([
            "PROBE_PATH": "/status/up", "API_RATE": "1r/m", "API_BURST": "1", "LISTEN_HTTP": "", "LISTEN_HTTP_6": "",
        ])
        for _ in 0..<5 {
            #expect(
                try server.ask("/status/up", from: ServerBehindBalancer.attacker, at: 443, host: "10.0.0.1").status
                    == 200)
        }
        server.backend.process.signal(SIGKILL)
        #expect(server.backend.process.wait() != nil)
        for method in ["GET", "HEAD"] {
            let response = try server.ask(
                "/status/up", from: ServerBehindBalancer.balancer, at: 443, method: method)
            #expect(response.status == 503)
            #expect(response.body == [])
        }
        #expect(!server.accessLog.contains("/status"))
    }
}
