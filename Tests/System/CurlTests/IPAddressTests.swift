import Curl
import Testing

@Suite("IP addresses")
struct IPAddressTests {
    @Test(
        "of this machine, of internal networks and of special purposes are private",
        arguments: [
            "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
            "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0", "172.31.255.255",
            "192.0.0.0", "192.0.0.8", "192.0.0.11", "192.0.0.255", "192.0.2.0", "192.0.2.255", "192.88.99.1",
            "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.0", "198.51.100.255",
            "203.0.113.0", "203.0.113.255", "224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255",
            "::", "::1", "::2", "::127.0.0.1", "::8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b:1::8.8.8.8", "100::1",
            "100:0:0:1::1",
            "1fff:ffff::", "2001::1", "2001:0:808:808::1", "2001:2::1", "2001:10::1", "2001:1ff:ffff::1",
            "2001:4:113::1",
            "2001:db8::1", "2001:db8:ffff::1", "3fff::1", "3fff:fff:ffff::1", "4000::1", "5f00::1", "fc00::1",
            "fd12:3456::1", "fdff:ffff::1", "fe80::1", "febf:ffff::1", "fec0::1", "ff02::1", "ffff::1",
            "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:169.254.169.254", "::ffff:0.0.0.0", "64:ff9b::10.0.0.1",
            "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::1", "2002:a00:1::", "2002:c0a8:101:1::1",
        ])
    func privateAddresses(text: String) throws {
        #expect(try #require(IPAddress(text)).isPrivate)
    }

    @Test(
        "of all other networks are not private",
        arguments: [
            "1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
            "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
            "191.255.255.255", "192.0.0.9", "192.0.0.10", "192.0.1.0", "192.0.3.0", "192.31.196.1", "192.52.193.1",
            "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "192.175.48.1", "198.17.255.255",
            "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255",
            "2000::1", "2001:1::1", "2001:1::3", "2001:3::1", "2001:4:112::1", "2001:20::1", "2001:3f:ffff::1",
            "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::1", "2400:cb00::1", "2606:4700::1",
            "2620:4f:8000::1", "3ffe:ffff::1", "3fff:1000::1",
            "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1",
        ])
    func publicAddresses(text: String) throws {
        #expect(try !#require(IPAddress(text)).isPrivate)
    }

    @Test(
        "are read in digits alone",
        arguments: [
            "", "1", "127.1", "127.0.0", "127.0.0.0.1", "0x7f.0.0.1", "127.0.0.256", " 127.0.0.1", "127.0.0.1 ",
            "2130706433", "[::1]", "fe80::1%eth0", "::1::", "1:2:3:4:5:6:7:8:9", "localhost", "example.com", "::g",
            "127.0.0.1:80", "127.0.0.1\0",
        ])
    func noAddresses(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("are read from 4 or 16 bytes")
    func bytes() {
        #expect(IPAddress(bytes: [127, 0, 0, 1]) == IPAddress("127.0.0.1"))
        #expect(IPAddress(bytes: [0x20, 1, 0xD] + [UInt8](repeating: 0, count: 12) + [7]) == IPAddress("2001:d00::7"))
        #expect(IPAddress("::7f00:1") != IPAddress("127.0.0.1"))
        for count in [0, 3, 5, 15, 17] { #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil) }
    }
}

@Suite("Loopback addresses")
struct LoopbackTests {
    @Test(
        "are localhost, ::1 and all of 127.0.0.0/8",
        arguments: [
            ("localhost", true), ("::1", true), ("127.0.0.1", true), ("127.0.0.2", true), ("127.255.255.255", true),
            ("", false), ("127", false), ("127.0.0", false), ("127.0.0.0.1", false), ("127.0.0.256", false),
            ("127.0.0.-1", false), ("127.0.0.x", false), ("127..0.1", false), ("0127.0.0.1", false),
            ("126.0.0.1", false), ("128.0.0.1", false), ("0.0.0.0", false), ("::", false), ("[::1]", false),
            ("127.example.com", false), ("127.0.0.1.example.com", false), ("localhost.example.com", false),
        ])
    func hosts(host: String, isLoopback: Bool) {
        #expect(Loopback.contains(host) == isLoopback)
    }

    @Test(
        "are recognised as the host of a URL",
        arguments: [
            "http://127.0.0.1/", "http://127.0.0.1:8444/x", "http://127.0.0.10/", "https://localhost:8443",
            "http://[::1]:1?x", "https://[::1]", "http://localhost",
        ])
    func loopbackURLs(url: String) {
        #expect(Loopback.isHost(of: url))
    }

    @Test(
        "are not recognised anywhere else in a URL",
        arguments: [
            "", "127.0.0.1", "http://localhost.example.com/", "http://example.com/127.0.0.1",
            "http://localhost@example.com/", "http://localhost:x@example.com/", "http://localhost:1@example.com/",
            "http://[::1]@example.com/", "http://[::1]x/", "http://[::2]/", "http://::1/", "ftp://localhost/",
            "http:///localhost", "http://example.com#localhost", "http://:80/",
        ])
    func otherURLs(url: String) {
        #expect(!Loopback.isHost(of: url))
    }
}
