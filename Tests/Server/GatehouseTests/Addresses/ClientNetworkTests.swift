import Gatehouse
import Testing

@Suite("Networks of clients")
struct ClientNetworkTests {
    @Test(
        "addresses of one network have one text",
        arguments: [
            ("192.0.2.1", "192.0.2.0/24"), ("192.0.2.255", "192.0.2.0/24"), ("0.0.0.0", "0.0.0.0/24"),
            ("255.255.255.255", "255.255.255.0/24"), ("2001:db8::1", "2001:db8::/48"),
            ("2001:DB8:0:0:1:2:3:4", "2001:db8::/48"), ("2001:0db8:0000:0000::", "2001:db8::/48"),
            ("2001:db8:0:1::1", "2001:db8::/48"), ("2001:db8:a:b:c:d:e:f", "2001:db8:a::/48"),
            ("2001:db8:0:b:0:0:0:1", "2001:db8::/48"), ("::1", "::/48"), ("::", "::/48"), ("1::", "1::/48"),
            ("1:2:3:4:5:6:7::", "1:2:3::/48"), ("::2:3:4:5:6:7:8", "0:2:3::/48"),
            ("2001:db8::192.0.2.1", "2001:db8::/48"), ("64:ff9b::192.0.2.1", "64:ff9b::/48"),
            ("1:2:3:4:5:6:192.0.2.1", "1:2:3::/48"), ("fe80::1", "fe80::/48"),
        ])
    func networks(address: String, network: String) {
        #expect(ClientNetwork(ofAddress: address)?.text == network)
    }

    @Test(
        "an IPv4 address in IPv6 has the network of the IPv4 address",
        arguments: ["::ffff:192.0.2.1", "::FFFF:192.0.2.7", "::ffff:c000:201", "0:0:0:0:0:ffff:c000:0201"])
    func embedded(address: String) {
        #expect(ClientNetwork(ofAddress: address)?.text == "192.0.2.0/24")
    }

    @Test(
        "other texts have no network",
        arguments: [
            "", " ", "localhost", "192.0.2", "192.0.2.1.1", "192.0.2.256", "192.0.2.01", "192.0.2.001", "0x7f.0.0.1",
            "192.0.2.", ".192.0.2.1", "192..2.1", "192.0.2.1 ", "192.0.2.+1", "192.0.2.-1", "192.0.2.1:80",
            "192.0.2.1/24", "3221225985", "１９２.0.2.1", "192.0.2.١", ":", ":::", "1::2::3", "::1::", "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1::2:3:4:5:6:7:8", ":1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:8:", "12345::", "::g", "::+1", "::-1", "fe80::1%eth0", "[::1]", "::1/64", "::ffff:192.0.2",
            "::ffff:192.0.2.256", "192.0.2.1::", "::192.0.2.1:1", "1:2:3:4:5:6:7:192.0.2.1", "2001:db8:\u{301}:1",
            "unix:", "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000",
        ])
    func others(address: String) {
        #expect(ClientNetwork(ofAddress: address) == nil)
    }
}

@Suite("Resemblance of devices")
struct DeviceTests {
    @Test(
        "devices resemble each other if their addresses are in the same network",
        arguments: [
            ("192.0.2.1", "192.0.2.254", true), ("192.0.2.1", "192.0.3.1", false), ("192.0.2.1", "198.51.100.1", false),
            ("::ffff:192.0.2.1", "192.0.2.9", true), ("::ffff:192.0.2.1", "::ffff:192.0.3.1", false),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:ffff::1", true), ("2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false), ("2001:db8::1", "2001:db8::2", true),
            ("2001:db8::1", "2001:db8:0:0:1::1", true), ("2001:db8::1", "2001:db8:0:1::1", false),
            ("::1", "::2", true), ("::1", "2001:db8::1", false), ("::1", "127.0.0.1", false),
            ("", "192.0.2.1", false), ("unix:", "unix:", true),
        ])
    func networks(_ one: String, _ other: String, isSame: Bool) {
        let (one, other) = (Device(userAgent: "App/1", address: one), Device(userAgent: "App/1", address: other))
        #expect(one.resembles(other) == isSame)
        #expect(other.resembles(one) == isSame)
    }

    @Test("devices resemble each other only if their user agents are equal or both missing")
    func userAgents() {
        let app = Device(userAgent: "App/1", address: "192.0.2.1")
        #expect(app.resembles(app))
        #expect(!app.resembles(Device(userAgent: "App/2", address: "192.0.2.1")))
        #expect(!app.resembles(Device(userAgent: nil, address: "192.0.2.1")))
        #expect(!app.resembles(Device(userAgent: "App/1", address: nil)))
        #expect(!app.resembles(.unknown))
        #expect(Device.unknown.resembles(.unknown))
    }
}
