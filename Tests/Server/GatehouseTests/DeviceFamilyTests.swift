import Gatehouse
import Testing

@Suite("Kinds of devices")
struct DeviceFamilyTests {
    @Test(
        "user agents that differ in version numbers alone are of one kind of device",
        arguments: [
            ("Example/1 CFNetwork/1410.0.3 Darwin/22.4.0", "Example/27 CFNetwork/1568.100.1 Darwin/24.0.0", true),
            ("Example/1.0 (iPhone15,3; iOS 18.1)", "Example/2.10.1 (iPhone15,3; iOS 26.0_1)", true),
            ("Example/1.0 (iPhone15,3; iOS 18.1)", "Example/1.0 (iPhone17,1; iOS 18.1)", false),
            ("Mozilla/5.0 (Windows NT 10.0; Win64) Edg/131.0", "Mozilla/5.0 (Windows NT 11.0; Win64) Edg/9.0", true),
            ("Mozilla/5.0 (X11; Linux x86_64) Firefox/131.0", "Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0", false),
            ("Example/1.0 (SM-S918B; Android 14)", "Example/1.0 (SM-S921B; Android 14)", false),
            ("Example/1.0", "Example/1.0 beta", false), ("示例/1.0", "示例/2.0", true),
        ])
    func families(first: String, second: String, isSame: Bool) {
        #expect(Device.isSameFamily(first, second) == isSame && Device.isSameFamily(second, first) == isSame)
    }

    @Test("a request without a user agent is of another kind of device than one with it")
    func missing() {
        #expect(Device.isSameFamily(nil, nil))
        #expect(!Device.isSameFamily(nil, "Example/1.0"))
    }
}
