import GatehouseServer
import Testing

@Suite("Settings that are addresses")
struct AddressTests {
    @Test(
        "LISTEN is a path, or a host and a port",
        arguments: [
            ("unix:/run/x.sock", .unix(path: "/run/x.sock"), "unix:/run/x.sock"),
            ("tcp:127.0.0.1:9000", .tcp(host: "127.0.0.1", port: 9000), "tcp:127.0.0.1:9000"),
            ("tcp:0.0.0.0:65535", .tcp(host: "0.0.0.0", port: 65535), "tcp:0.0.0.0:65535"),
            ("tcp:[::1]:9000", .tcp(host: "::1", port: 9000), "tcp:[::1]:9000"),
        ] as [(String, ListenAddress, String)])
    func listening(text: String, address: ListenAddress, written: String) throws {
        let configuration = try TestConfiguration.read(["LISTEN": text])
        #expect(configuration.listen == address)
        #expect(configuration.listen.description == written)
    }

    @Test(
        "any other value of LISTEN is a fault",
        arguments: [
            "tcp:localhost:9000", "tcp:::1:9000", "tcp:[127.0.0.1]:9000", "tcp:1]:9000", "unix:", "unix:relative.sock",
            "/run/x.sock", "tcp:9000", "tcp::9000", "tcp:127.0.0.1", "tcp:127.0.0.1:",
            "tcp:127.0.0.1:65536", "tcp:127.0.0.1:-1", "tcp:127.0.0.1:x", "127.0.0.1:9000", "tcp:[]:9000", "tcp",
            "UNIX:/run/x.sock", "http://127.0.0.1:9000", "tcp:127.0.0.1:9000 ", "tcp:127.0.0.1:+80",
        ])
    func refusedListenAddress(text: String) {
        #expect(TestConfiguration.faults(["LISTEN": text]).map(\.name) == ["LISTEN"])
    }

    /// `sun_path` has 108 bytes, of which the last is NUL.
    @Test("a socket's path has at most 107 bytes", arguments: [("x", 106, true), ("x", 107, false), ("é", 54, false)])
    func pathLength(character: String, count: Int, isGood: Bool) {
        let faults = TestConfiguration.faults(["LISTEN": "unix:/" + String(repeating: character, count: count)])
        #expect(faults.map(\.name) == (isGood ? [] : ["LISTEN"]))
    }

    @Test(
        "Apple's keys are fetched over HTTPS, or over HTTP from this machine",
        arguments: [
            "https://appleid.apple.com/auth/keys", "https://example.com", "https://example.com:8443/x?y=1#z",
            "http://127.0.0.1:8444/auth/keys", "http://127.0.0.1", "http://127.255.255.255/", "http://localhost/keys",
            "http://localhost:8444/keys", "http://[::1]:8444/keys", "http://[::1]/", "http://localhost?x",
        ])
    func fetchable(url: String) throws {
        #expect(try TestConfiguration.read(["APPLE_JWKS_URL": url]).appleKeysURL == url)
    }

    @Test(
        "an address that only resembles this machine, or has a user name, is refused",
        arguments: [
            "http://appleid.apple.com/auth/keys", "http://localhost.evil.com/", "http://127.0.0.1.evil.com/",
            "http://127.0.0.1@evil.com/", "http://localhost:80@evil.com/", "http://127.1/", "http://127.0.0.1.1/",
            "http://127.0.0/", "http://127.0.0.256/", "http://127.0.0.x/", "http://0x7f.0.0.1/", "http://2130706433/",
            "http://0.0.0.0/", "http://[::]/", "http://[::1].evil.com/", "http://[::1]@evil.com/",
            "http://[::ffff:127.0.0.1]/", "http://LOCALHOST.evil.com", "http://localhost:80:80/", "http://127..0.1/",
            "http://127.0.0.+1/", "http://localhost\\@evil.com/", "http://evil.com#@localhost/",
            "http://evil.com?localhost",
            "https://user@example.com/", "https://user:password@example.com/", "https://", "https:///keys", "http://",
            "https://?x", "ftp://example.com", "file:///etc/passwd", "//example.com", "example.com", "HTTP://localhost",
            "https://exa mple.com", "https://example.com/\u{E9}", "https://example.com/\n", " https://example.com",
            "https:/example.com", "https:example.com", "https://:443/",
        ])
    func refused(url: String) {
        #expect(TestConfiguration.faults(["APPLE_JWKS_URL": url]).map(\.name) == ["APPLE_JWKS_URL"])
    }
}
