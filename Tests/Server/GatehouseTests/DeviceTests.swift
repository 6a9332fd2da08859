import Gatehouse
import Testing

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
