import Gatehouse
import JOSE
import Testing

@testable import GatehouseServer

@Suite("Settings of passkeys")
struct PasskeySettingsTests {
    private static let hash = Base64URL.encode([UInt8](0..<32))
    private static let android = "android:apk-key-hash:" + hash

    private func faults(_ changes: [String: String?]) -> [String] {
        TestConfiguration.faults(["PASSKEY_RP_ID": "example.com"].merging(changes) { $1 }).map(\.description)
    }

    private func policy(_ changes: [String: String?]) throws -> PasskeyPolicy? {
        try TestConfiguration.read(["PASSKEY_RP_ID": "example.com"].merging(changes) { $1 }).policy.passkeys
    }

    @Test("without an RP id, passkeys are off, and the other settings have no effect, which a warning says")
    func off() throws {
        #expect(try TestConfiguration.read().policy.passkeys == nil && TestConfiguration.read().passkeys == nil)
        let others = [
            "PASSKEY_ORIGINS": "https://example.com", "PASSKEY_APPS": "ABCDE12345.com.example.app",
            "PASSKEY_ENROLL_URL": "https://example.com/", "PASSKEY_MANAGE_URL": "https://example.com/",
        ]
        for (name, value) in others {
            let configuration = try TestConfiguration.read([name: value])
            #expect(configuration.policy.passkeys == nil && configuration.passkeys == nil)
            #expect(configuration.warnings == ["\(name) has no effect without PASSKEY_RP_ID"])
        }
    }

    @Test("the origin is that of the RP id by default, and user verification is preferred")
    func defaults() throws {
        let expected = PasskeyPolicy(
            rpID: "example.com", origins: ["https://example.com"], userVerification: .preferred)
        #expect(try policy([:]) == expected)
        #expect(try TestConfiguration.read(["PASSKEY_RP_ID": "example.com"]).warnings.isEmpty)
        for (text, value) in [
            ("required", .required), ("preferred", .preferred), ("discouraged", .discouraged),
        ] as [(String, PasskeyPolicy.UserVerification)] {
            #expect(try policy(["PASSKEY_USER_VERIFICATION": text])?.userVerification == value)
        }
    }

    @Test("origins are those of pages and of apps, and those of other domains are related origins")
    func origins() throws {
        let settings = [
            "PASSKEY_RP_ID": "example.com",
            "PASSKEY_ORIGINS":
                "https://App.example.com:443/, https://example.com:8443, https://notexample.com, \(Self.android)",
            "PASSKEY_APPS": "ABCDE12345.com.example.app, \(Self.android)@com.example.app",
        ]
        let configuration = try TestConfiguration.read(settings)
        #expect(
            configuration.policy.passkeys?.origins == [
                "https://app.example.com", "https://example.com:8443", "https://notexample.com", Self.android,
                "https://example.com",
            ])
        #expect(configuration.passkeys?.relatedOrigins == ["https://notexample.com"])
        #expect(
            configuration.passkeys?.apps == [
                .apple("ABCDE12345.com.example.app"),
                .android(keyHash: [UInt8](0..<32), package: "com.example.app"),
            ])
        #expect(configuration.warnings.isEmpty)
    }

    @Test("an Android app without a package is an origin, and a warning says that phones need its package")
    func unnamedApp() throws {
        for name in ["PASSKEY_APPS", "PASSKEY_ORIGINS"] {
            let value = name == "PASSKEY_APPS" ? Self.android : "https://example.com," + Self.android
            let configuration = try TestConfiguration.read(["PASSKEY_RP_ID": "example.com", name: value])
            #expect(configuration.policy.passkeys?.origins == ["https://example.com", Self.android])
            #expect(configuration.warnings.count == 1 && configuration.warnings[0].contains("has no package for"))
        }
    }

    @Test(
        "an RP id is a host name",
        arguments: [
            "Example.com", "com", "example.com.", ".example.com", "example..com", "https://example.com",
            "example.com:443",
            "example.com/", "127.0.0.1", "[::1]", "10.0.0.256", "exa_mple.com", "-a.example", "bücher.example",
            "*.example.com",
            "example.com,example.org", String(repeating: "a", count: 64) + ".com",
            String(repeating: "a.", count: 126) + "com",
        ])
    func relyingParty(text: String) {
        #expect(faults(["PASSKEY_RP_ID": text]).allSatisfy { $0.hasPrefix("PASSKEY_RP_ID must be a domain") })
        #expect(!faults(["PASSKEY_RP_ID": text]).isEmpty)
    }

    @Test(
        "a host name of any depth is accepted, and localhost",
        arguments: ["example.com", "a.b-1.xn--bcher-kva.example"])
    func accepted(text: String) throws {
        #expect(try policy(["PASSKEY_RP_ID": text])?.rpID == text)
        #expect(try policy(["PASSKEY_RP_ID": "localhost"])?.origins == ["https://localhost"])
    }

    @Test(
        "an origin has a host name and no path; plain HTTP is for localhost in development",
        arguments: [
            "https://example.com/login", "https://example.com?x", "example.com", "https://", "http://example.com",
            "https://127.0.0.1", "https://[::1]", "https://10.1.2.3:8443", "https://*.example.com", "",
            "https://user@example.com", "android:apk-key-hash:x", "android:apk-key-hash:",
            "ios:bundle-id:com.example.app",
            "android:apk-key-hash:" + Base64URL.encode([UInt8](0..<31)), android + "@com.example.app", android + "=",
        ])
    func origin(text: String) {
        for value in [text, "https://example.com," + text] where value != "" {
            let faults = faults(["PASSKEY_ORIGINS": value])
            #expect(faults.count == 1 && faults.first?.hasPrefix("PASSKEY_ORIGINS ") == true, "\(value) \(faults)")
        }
    }

    @Test("http://localhost needs development")
    func development() throws {
        let settings = [
            "PASSKEY_RP_ID": "localhost", "PASSKEY_ORIGINS": "https://localhost:8443,http://localhost:5173",
        ]
        #expect(
            faults(settings) == ["PASSKEY_ORIGINS entry 2 has http: http://localhost needs APP_ENV=development"])
        let origins = try policy(settings.merging(["APP_ENV": "development"]) { $1 })?.origins
        #expect(origins == ["https://localhost:8443", "http://localhost:5173"])
    }

    @Test("one origin has to be of the RP id: a host that only ends with its letters is of another domain")
    func foreign() throws {
        for origins in ["https://example.org", "https://notexample.com,https://example.com.evil.example"] {
            #expect(faults(["PASSKEY_ORIGINS": origins]).first?.contains("has no origin of PASSKEY_RP_ID") == true)
        }
        #expect(try policy(["PASSKEY_ORIGINS": Self.android])?.origins == [Self.android])
    }

    @Test(
        "an app is a team and a bundle id, or a certificate and a package",
        arguments: [
            "com.example.app", "abcde12345.com.example.app", "ABCDE1234.com.example.app", "ABCDE12345", "ABCDE12345.",
            "ABCDE12345.*", "ABCDE12345..app", android + "@", android + "@app", android + "@com.1app",
            android + "@com.a b",
            "android:apk-key-hash:x@com.example.app", "ABCDE12345.com.example.app,", "ABCDE12345.com.example.app\"",
        ])
    func app(text: String) {
        let faults = faults(["PASSKEY_APPS": text])
        #expect(faults.count == 1 && faults.first?.contains("must be a team id") == true, "\(faults)")
    }

    @Test(
        "a page is an https URL",
        arguments: ["http://example.com/", "/account", "https://", "https://a b/", "https:///x"])
    func page(text: String) {
        for name in ["PASSKEY_ENROLL_URL", "PASSKEY_MANAGE_URL"] {
            #expect(faults([name: text]) == ["\(name) must be an https URL"])
        }
    }

    @Test("a demand for strong logins without passkeys is a warning, and with passkeys that do not verify a fault")
    func strength() throws {
        let strong = ["SENSITIVE_ACR": "urn:gatehouse:2"]
        #expect(try TestConfiguration.read(strong).warnings.count == 1)
        let configuration = try TestConfiguration.read(strong.merging(["PASSKEY_RP_ID": "example.com"]) { $1 })
        #expect(configuration.warnings.isEmpty && configuration.policy.sensitiveStrength == .twoFactors)
        #expect(try TestConfiguration.read().policy.sensitiveStrength == .single)
        let discouraged = ["PASSKEY_USER_VERIFICATION": "discouraged"]
        #expect(faults(discouraged).isEmpty)
        let fault = faults(strong.merging(discouraged) { $1 })
        #expect(fault.count == 1 && fault.first?.hasPrefix("PASSKEY_USER_VERIFICATION must not") == true, "\(fault)")
        for value in ["2", "urn:gatehouse:3", "none"] {
            #expect(TestConfiguration.faults(["SENSITIVE_ACR": value]).count == 1)
        }
    }
}
