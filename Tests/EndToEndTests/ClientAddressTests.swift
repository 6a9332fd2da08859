import Foundation
import TestSupport
import Testing

/// A limit of one login and one more at once, so that the third of the same client is refused.
@Suite("The client's address behind proxies", .enabled(if: ProxiedHouse.obstacle == nil, ProxiedHouse.reason))
struct ClientAddressTests {
    private static let limits = ["LOGIN_RATE": "1r/m", "LOGIN_BURST": "1"]

    private func house(_ values: [String: String]) throws -> ProxiedHouse {
        try ProxiedHouse(values.merging(Self.limits) { _, new in new })
    }

    private func statuses(
        _ house: ProxiedHouse, from source: String, _ headers: [[String: String]]
    ) throws -> [Int] {
        try headers.map { try house.devLogin(from: source, at: 443, $0).status }
    }

    @Test("is what a trusted proxy says, and for every other peer the address of its connection")
    func forwardedFor() throws {
        let house = try house(["TRUSTED_PROXIES": ProxiedHouse.trusted])
        func chain(_ addresses: String...) -> [[String: String]] { addresses.map { ["X-Forwarded-For": $0] } }
        // Three clients, the first by way of a second proxy too, and with what it forged in front.
        let first = chain("192.0.2.1", "192.0.2.1, 10.0.1.7", "192.0.2.66, 192.0.2.1")
        #expect(try statuses(house, from: ProxiedHouse.balancer, first) == [200, 200, 429])
        #expect(try statuses(house, from: ProxiedHouse.balancer, chain("192.0.2.2")) == [200])
        #expect(try statuses(house, from: ProxiedHouse.balancer6, chain("2001:db8:7::1")) == [200])
        // One attacker, whatever it says.
        let forged = chain("192.0.2.3", "10.0.0.9", "192.0.2.4")
        for source in [ProxiedHouse.attacker, ProxiedHouse.attacker6] {
            #expect(try statuses(house, from: source, forged) == [200, 200, 429])
        }
        // The limits of other clients are untouched.
        #expect(try statuses(house, from: ProxiedHouse.balancer, chain("192.0.2.3")) == [200])
    }

    @Test("is in the header that is named, and in no other")
    func header() throws {
        let house = try house([
            "TRUSTED_PROXIES": ProxiedHouse.trusted, "CLIENT_ADDRESS_HEADER": "CF-Connecting-IP",
        ])
        func said(_ address: String, _ other: String) -> [String: String] {
            ["CF-Connecting-IP": address, "X-Forwarded-For": other]
        }
        let same = [said("192.0.2.1", "1.1.1.1"), said("192.0.2.1", "1.1.1.2"), said("192.0.2.1", "1.1.1.3")]
        #expect(try statuses(house, from: ProxiedHouse.balancer, same) == [200, 200, 429])
        #expect(try statuses(house, from: ProxiedHouse.balancer, [said("192.0.2.2", "1.1.1.1")]) == [200])
    }

    @Test("is the peer's own as long as no proxy is trusted")
    func trustless() throws {
        let house = try house([:])
        let headers = (1...3).map { ["X-Forwarded-For": "192.0.2.\($0)", "X-Real-IP": "192.0.2.\($0)"] }
        #expect(try statuses(house, from: ProxiedHouse.balancer, headers) == [200, 200, 429])
    }

    @Test("comes by the PROXY protocol from a trusted peer, and a header does not change it")
    func proxyProtocol() throws {
        let house = try house(["TRUSTED_PROXIES": ProxiedHouse.trusted, "PROXY_PROTOCOL": "on"])
        func login(_ source: String, as client: String, _ header: String = "") throws -> Int {
            try house.devLogin(
                from: source, at: 443, ["X-Forwarded-For": header], proxy: "PROXY TCP4 \(client) 10.0.0.1 40000 443"
            ).status
        }
        let forged = try (1...3).map { try login(ProxiedHouse.balancer, as: "192.0.2.1", "192.0.2.10\($0)") }
        #expect(forged == [200, 200, 429])
        #expect(try login(ProxiedHouse.balancer, as: "192.0.2.2") == 200)
        let untrusted = try (3...5).map { try login(ProxiedHouse.attacker, as: "192.0.2.\($0)") }
        #expect(untrusted == [200, 200, 429])
        // Without it there is no request.
        #expect(try house.ask("/", from: ProxiedHouse.balancer).status == 0)
    }

    @Test("and TLS: the port in the PROXY protocol decides, whatever header the client sends")
    func proxyProtocolAndTLS() throws {
        let house = try ProxiedHouse([
            "TRUSTED_PROXIES": ProxiedHouse.trusted, "PROXY_PROTOCOL": "on", "TLS": "balancer",
        ])
        func status(_ source: String, port: Int, _ headers: [String: String] = [:]) throws -> Int {
            try house.ask(
                "/api/users/me", from: source, headers, proxy: "PROXY TCP4 192.0.2.1 10.0.0.1 40000 \(port)"
            ).status
        }
        for word in ["", "http", "https", "x 443"] {
            let header = ["X-Forwarded-Proto": word]
            #expect(try status(ProxiedHouse.balancer, port: 443, header) == 401, "\(word)")
            #expect(try status(ProxiedHouse.balancer, port: 80, header) == 403, "\(word)")
            #expect(try status(ProxiedHouse.balancer, port: 8443, header) == 403, "\(word)")
            #expect(try status(ProxiedHouse.attacker, port: 443, header) == 403, "\(word)")
        }
        #expect(try status(ProxiedHouse.balancer, port: 443) == 401)
    }
}

@Suite("Values for proxies")
struct ProxyValueTests {
    @Test(
        "that nginx would misread are refused with what is allowed, and nothing is written",
        arguments: [
            (["TRUSTED_PROXIES=all"], "10.0.0.0/8"), (["TRUSTED_PROXIES=0.0.0.0/0"], "length 0"),
            (["TRUSTED_PROXIES=10.0.0.1,::/0"], "length 0"), (["TRUSTED_PROXIES=10.0.0.1,"], "10.0.0.0/8"),
            (["TLS=off"], "here balancer"), (["TLS=balancer"], "TRUSTED_PROXIES"),
            (["TLS=balancer", "TRUSTED_PROXIES=10.0.0.1", "LISTEN_HTTP="], "LISTEN_HTTP"),
            (["PROXY_PROTOCOL=yes"], "on off"), (["PROXY_PROTOCOL=on"], "TRUSTED_PROXIES"),
            (["CLIENT_ADDRESS_HEADER=proxy_protocol"], "PROXY_PROTOCOL=on"),
            (["CLIENT_ADDRESS_HEADER=X_Forwarded_For"], "name of a header"),
            (["PROBE_PATH=ready"], "/ready"), (["PROBE_PATH=/a.b"], "/ready"),
            (["PROBE_PATH=/api/ready"], "below /api"),
            (["SERVER_NAME=a.example,,b.example"], "commas"), (["SERVER_NAME="], "SERVER_NAME"),
            (["SERVER_NAME=*.example.com"], "wildcard"), (["SERVER_NAME=@TLS@"], "placeholder"),
            (["LISTEN_API=443"], "LISTEN_API"),
        ])
    func refused(_ values: [String], _ word: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Shell.outcome(
            of: [
                Executable.root + "/deploy/lib/render-nginx", folder.file("nginx"),
                Executable.root + "/nginx/local.values", "RESPONDER=unix:/nowhere.sock",
            ] + values)
        #expect(outcome.status == 2)
        #expect(outcome.complaint.contains(word), "\(outcome.complaint)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("nginx")))
    }
}
