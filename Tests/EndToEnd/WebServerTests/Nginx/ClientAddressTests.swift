import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// The rate limit lets two logins per client pass and refuses the third.
@Suite(
    "The client's address behind proxies",
    .enabled(if: ServerBehindBalancer.obstacle == nil, ServerBehindBalancer.reason)
)
struct ClientAddressTests {
    private static let limits = ["LOGIN_RATE": "1r/m", "LOGIN_BURST": "1"]

    private func server(_ values: [String: String]) throws -> ServerBehindBalancer {
        try ServerBehindBalancer(values.merging(Self.limits) { _, new in new })
    }

    private func statuses(
        _ server: ServerBehindBalancer, from source: String, _ headers: [[String: String]]
    ) throws -> [Int] {
        try headers.map { try server.devLogin(from: source, at: 443, $0).status }
    }

    @Test("The address is taken from trusted proxies, otherwise from the connection")
    func forwardedFor() throws {
        let server = try server(["TRUSTED_PROXIES": ServerBehindBalancer.trusted])
        func chain(_ addresses: String...) -> [[String: String]] { addresses.map { ["X-Forwarded-For": $0] } }
        // One client, also through a second proxy and with a forged address in front.
        let first = chain("192.0.2.1", "192.0.2.1, 10.0.1.7", "192.0.2.66, 192.0.2.1")
        #expect(try statuses(server, from: ServerBehindBalancer.balancer, first) == [200, 200, 429])
        #expect(try statuses(server, from: ServerBehindBalancer.balancer, chain("192.0.2.2")) == [200])
        #expect(try statuses(server, from: ServerBehindBalancer.balancer6, chain("2001:db8:7::1")) == [200])
        // The attacker counts as one client, whatever the header says.
        let forged = chain("192.0.2.3", "10.0.0.9", "192.0.2.4")
        for source in [ServerBehindBalancer.attacker, ServerBehindBalancer.attacker6] {
            #expect(try statuses(server, from: source, forged) == [200, 200, 429])
        }
        // The limits of other clients are not used up.
        #expect(try statuses(server, from: ServerBehindBalancer.balancer, chain("192.0.2.3")) == [200])
    }

    @Test("The address is taken from the configured header only", .needs(.time))
    func header() throws {
        let server = try server([
            "TRUSTED_PROXIES": ServerBehindBalancer.trusted, "CLIENT_ADDRESS_HEADER": "CF-Connecting-IP",
        ])
        func claimed(_ address: String, _ other: String) -> [String: String] {
            ["CF-Connecting-IP": address, "X-Forwarded-For": other]
        }
        let same = [claimed("192.0.2.1", "1.1.1.1"), claimed("192.0.2.1", "1.1.1.2"), claimed("192.0.2.1", "1.1.1.3")]
        #expect(try statuses(server, from: ServerBehindBalancer.balancer, same) == [200, 200, 429])
        #expect(
            try statuses(server, from: ServerBehindBalancer.balancer, [claimed("192.0.2.2", "1.1.1.1")]) == [200])
    }

    @Test("Servers of the operator have no limit, and are known by their address alone", .needs(.time))
    func unlimited() throws {
        let server = try server([
            "TRUSTED_PROXIES": ServerBehindBalancer.trusted, "UNLIMITED_ADDRESSES": "192.0.2.0/28,2001:db8:7::/48",
        ])
        for address in ["192.0.2.1", "2001:db8:7::1"] {
            let headers = [[String: String]](repeating: ["X-Forwarded-For": address], count: 6)
            #expect(
                try statuses(server, from: ServerBehindBalancer.balancer, headers)
                    == [Int](repeating: 200, count: 6))
            #expect(
                try statuses(server, from: ServerBehindBalancer.attacker, Array(headers.prefix(3))).last == 429)
        }
        let others = [[String: String]](repeating: ["X-Forwarded-For": "192.0.2.16"], count: 3)
        #expect(try statuses(server, from: ServerBehindBalancer.balancer, others) == [200, 200, 429])
    }

    @Test("Without trusted proxies, the address is taken from the connection", .needs(.time))
    func noTrustedProxies() throws {
        let server = try server([:])
        let headers = (1...3).map { ["X-Forwarded-For": "192.0.2.\($0)", "X-Real-IP": "192.0.2.\($0)"] }
        #expect(try statuses(server, from: ServerBehindBalancer.balancer, headers) == [200, 200, 429])
    }

    @Test("The address is taken from the PROXY protocol of trusted peers, and headers do not change it", .needs(.time))
    func proxyProtocol() throws {
        let server = try server(["TRUSTED_PROXIES": ServerBehindBalancer.trusted, "PROXY_PROTOCOL": "on"])
        func login(_ source: String, as client: String, _ header: String = "") throws -> Int {
            try server.devLogin(
                from: source, at: 443, ["X-Forwarded-For": header], proxy: "PROXY TCP4 \(client) 10.0.0.1 40000 443"
            ).status
        }
        let forged = try (1...3).map { try login(ServerBehindBalancer.balancer, as: "192.0.2.1", "192.0.2.10\($0)") }
        #expect(forged == [200, 200, 429])
        #expect(try login(ServerBehindBalancer.balancer, as: "192.0.2.2") == 200)
        let untrusted = try (3...5).map { try login(ServerBehindBalancer.attacker, as: "192.0.2.\($0)") }
        #expect(untrusted == [200, 200, 429])
        // A connection without the PROXY protocol gets no response.
        #expect(try server.ask("/", from: ServerBehindBalancer.balancer).status == 0)
    }

    @Test("With TLS at the balancer, the port in the PROXY protocol decides, not a header", .needs(.time))
    func proxyProtocolAndTLS() throws {
        let server = try ServerBehindBalancer([
            "TRUSTED_PROXIES": ServerBehindBalancer.trusted, "PROXY_PROTOCOL": "on", "TLS": "balancer",
        ])
        func status(_ source: String, port: Int, _ headers: [String: String] = [:]) throws -> Int {
            try server.ask(
                "/api/users/me", from: source, headers, proxy: "PROXY TCP4 192.0.2.1 10.0.0.1 40000 \(port)"
            ).status
        }
        for word in ["", "http", "https", "x 443"] {
            let header = ["X-Forwarded-Proto": word]
            #expect(try status(ServerBehindBalancer.balancer, port: 443, header) == 401, "\(word)")
            #expect(try status(ServerBehindBalancer.balancer, port: 80, header) == 403, "\(word)")
            #expect(try status(ServerBehindBalancer.balancer, port: 8443, header) == 403, "\(word)")
            #expect(try status(ServerBehindBalancer.attacker, port: 443, header) == 403, "\(word)")
        }
        #expect(try status(ServerBehindBalancer.balancer, port: 443) == 401)
    }
}

@Suite("Settings of nginx")
struct ProxyValueTests {
    /// No browser sends these as an origin.
    private static let origins: [([String], String)] = [
        "*", "null", "https://*.example.com", "app.example.com", "https://app.example.com/",
        "https://app.example.com/page", "https://App.example.com", "https://app.example.com:443",
        "http://app.example.com", "http://127.0.0.1:3000", "https://app.example.com,", "https://",
        "https://a.example,https://b.example:443", "https://u@app.example.com", "https://app.example.com:0",
    ].map { (["CORS_ORIGINS=\($0)"], "CORS_ORIGINS is") }

    private static let values: [([String], String)] = [
        (["TRUSTED_PROXIES=all"], "10.0.0.0/8"), (["TRUSTED_PROXIES=0.0.0.0/0"], "length 0"),
        (["TRUSTED_PROXIES=10.0.0.1,::/0"], "length 0"), (["UNLIMITED_ADDRESSES=::/0"], "length 0"),
        (["TRUSTED_PROXIES=10.0.0.1,"], "10.0.0.0/8"), (["TLS=off"], "here balancer"),
        (["TLS=balancer"], "TRUSTED_PROXIES"),
        (["TLS=balancer", "TRUSTED_PROXIES=10.0.0.1", "LISTEN_HTTP="], "LISTEN_HTTP"),
        (["PROXY_PROTOCOL=yes"], "on off"), (["PROXY_PROTOCOL=on"], "TRUSTED_PROXIES"),
        (["CLIENT_ADDRESS_HEADER=proxy_protocol"], "PROXY_PROTOCOL=on"),
        (["CLIENT_ADDRESS_HEADER=X_Forwarded_For"], "name of a header"),
        (["PROBE_PATH=ready"], "/ready"), (["PROBE_PATH=/a.b"], "/ready"),
        (["PROBE_PATH=/api/ready"], "below /api"),
        (["SERVER_NAME=a.example,,b.example"], "commas"), (["SERVER_NAME="], "SERVER_NAME"),
        (["SERVER_NAME=*.example.com"], "wildcard"), (["SERVER_NAME=@TLS@"], "placeholder"),
        (["RESPONDER="], "RESPONDER"), (["RESPONDER=gatehouse.sock"], "unix:/"), (["RESPONDER=unix:/a,"], "commas"),
        (["NODE_TIMEOUT=6"], "6s"), (["LISTEN_API=443"], "LISTEN_API"), (["LISTEN_HTTPS=443,,8443"], "commas"),
        (["HSTS_SUBDOMAINS="], "HSTS_SUBDOMAINS"), (["HSTS_SUBDOMAINS=yes"], "HSTS_SUBDOMAINS"),
        (["HSTS_SUBDOMAINS=includeSubDomains"], "HSTS_SUBDOMAINS"),
    ]

    @Test(
        "An invalid value is refused with the allowed ones, and nothing is written", arguments: values + origins)
    func refused(_ values: [String], _ word: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Shell.outcome(
            of: [
                Executable.root + "/deploy/lib/render-nginx", folder.file("nginx"),
                Executable.root + "/nginx/local.values", "RESPONDER=unix:/nowhere.sock",
            ] + values)
        #expect(outcome.status == 2)
        #expect(outcome.errorOutput.contains(word), "\(outcome.errorOutput)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("nginx")))
    }
}
