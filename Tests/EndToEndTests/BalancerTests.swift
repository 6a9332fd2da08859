import Foundation
import TestSupport
import Testing

/// One port gets what clients sent to the balancer over HTTPS and over plain HTTP, and what others send to nginx itself.
@Suite("TLS that a balancer ends", .enabled(if: ProxiedHouse.obstacle == nil, ProxiedHouse.reason))
struct BalancerTests {
    private static let house = Result {
        try ProxiedHouse(
            ["TLS": "balancer", "TRUSTED_PROXIES": ProxiedHouse.trusted, "PROBE_PATH": "/ready"],
            locations: """
                location /notes/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:3000; }
                """)
    }
    private let house: ProxiedHouse

    init() throws { house = try Self.house.get() }

    @Test("is HTTPS to clients: a login, HSTS, and no redirect")
    func secure() throws {
        let headers = ["X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"]
        for source in [ProxiedHouse.balancer, ProxiedHouse.balancer6, ProxiedHouse.secondProxy] {
            let login = try house.devLogin(from: source, headers)
            #expect(login.status == 200, "\(source)")
            #expect(login.header("strict-transport-security") == "max-age=300")
        }
        let unknown = try house.ask("/", from: ProxiedHouse.balancer, headers)
        #expect(unknown.status == 404)
        #expect(unknown.header("location") == nil)
    }

    @Test(
        "is believed from a trusted proxy alone, and by one word",
        arguments: [
            (ProxiedHouse.balancer, "https", true), (ProxiedHouse.balancer, "HTTPS", true),
            (ProxiedHouse.balancer, "http", false), (ProxiedHouse.balancer, nil, false),
            (ProxiedHouse.balancer, "https,http", false), (ProxiedHouse.balancer, "https http", false),
            (ProxiedHouse.attacker, "https", false), (ProxiedHouse.attacker6, "https", false),
            (ProxiedHouse.attacker, nil, false),
        ])
    func believed(_ source: String, _ word: String?, _ isSecure: Bool) throws {
        var headers = ["X-Forwarded-For": ProxiedHouse.balancer]
        headers["X-Forwarded-Proto"] = word
        let answer = try house.ask("/api/users/me", from: source, headers)
        #expect(answer.status == (isSecure ? 401 : 403))
        #expect(answer.code == (isSecure ? "invalid_access_token" : "https_required"))
        #expect((answer.header("strict-transport-security") != nil) == isSecure)
        let page = try house.ask("/page?a=b", from: source, headers)
        #expect(page.status == (isSecure ? 404 : 308))
        #expect(page.header("location") == (isSecure ? nil : "https://api.example.com/page?a=b"))
    }

    @Test(
        "does not open the API to plain HTTP, however its path is spelt",
        arguments: [
            "/api", "/api/", "/api/users/me?x=1", "/api/auth/verify", "//api/users/me", "/%61pi/users/me",
            "/x/../api/users/me", "/_gatehouse/../api/users/me",
        ])
    func spelt(_ path: String) throws {
        for headers in [[:], ["X-Forwarded-Proto": "http"]] {
            let answer = try house.ask(path, from: ProxiedHouse.balancer, headers)
            #expect(answer.status == 403)
            #expect(answer.code == "https_required")
        }
    }

    @Test("does not open the internal locations", arguments: ["verify", "problem", "ready", "empty", "plain/x", "x"])
    func inside(_ name: String) throws {
        for headers in [[:], ["X-Forwarded-Proto": "https"]] {
            #expect(try house.ask("/_gatehouse/" + name, from: ProxiedHouse.balancer, headers).status == 404)
        }
    }

    @Test("refuses a token over plain HTTP wherever it is sent")
    func token() throws {
        let answer = try house.ask("/notes/1", from: ProxiedHouse.balancer, ["Authorization": "Bearer x"])
        #expect(answer.status == 403)
        #expect(answer.code == "https_required")
    }

    @Test("tells a guarded service the client's address, the scheme, and the first of several names")
    func service() throws {
        let headers = ["X-Forwarded-Proto": "https", "X-Forwarded-For": "198.51.100.3, 192.0.2.1, 10.0.1.7"]
        let token = try house.devLogin(from: ProxiedHouse.balancer, headers).accessToken
        let all = headers.merging(["Authorization": "Bearer \(token)"]) { _, new in new }
        for host in ["api.example.com", "login.example.com"] {
            let answer = try house.ask("/notes/1", from: ProxiedHouse.balancer, all, host: host)
            #expect(answer.status == 200)
            let seen = String(decoding: answer.body, as: UTF8.self)
            #expect(seen.hasPrefix("192.0.2.1 https api.example.com user_"), "\(seen)")
        }
    }

    @Test("writes the client's address into the log")
    func logged() throws {
        let headers = ["X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.77"]
        _ = try house.ask("/api/users/me", from: ProxiedHouse.balancer, headers)
        #expect(Eventually.holds { house.accessLog.contains(#""address":"192.0.2.77""#) })
    }

    @Test(
        "has an address for its probe, under any name and from any address",
        arguments: ["10.0.0.1", "10.0.0.1:80", "[fd00::1]", "api.example.com", "else.example", nil] as [String?])
    func probe(_ host: String?) throws {
        for source in [ProxiedHouse.balancer, ProxiedHouse.attacker, ProxiedHouse.balancer6] {
            let answer = try house.ask("/ready", from: source, host: host)
            #expect(answer.status == 200)
            #expect(answer.body == [])
            #expect(answer.header("cache-control") == "no-store")
        }
        #expect(!house.accessLog.contains(#""path":"/ready""#))
    }

    @Test(
        "has nothing else of the responder's own", arguments: ["/readyz", "/healthz", "/metrics", "/ready/", "/READY"])
    func nothingElse(_ path: String) throws {
        let headers = ["X-Forwarded-Proto": "https"]
        #expect(try house.ask(path, from: ProxiedHouse.balancer, headers, host: "10.0.0.1").status == 404)
    }
}

@Suite("A probe of nginx", .enabled(if: ProxiedHouse.obstacle == nil, ProxiedHouse.reason))
struct BalancerProbeTests {
    @Test("is not limited, and says 503 without a word once the responder is gone")
    func gone() throws {
        let house = try ProxiedHouse([
            "PROBE_PATH": "/status/up", "API_RATE": "1r/m", "API_BURST": "1", "LISTEN_HTTP": "", "LISTEN_HTTP_6": "",
        ])
        for _ in 0..<5 {
            #expect(try house.ask("/status/up", from: ProxiedHouse.attacker, at: 443, host: "10.0.0.1").status == 200)
        }
        house.served.process.signal(SIGKILL)
        #expect(house.served.process.wait() != nil)
        for method in ["GET", "HEAD"] {
            let answer = try house.ask("/status/up", from: ProxiedHouse.balancer, at: 443, method: method)
            #expect(answer.status == 503)
            #expect(answer.body == [])
        }
        #expect(!house.accessLog.contains("/status"))
    }
}
