import Foundation
import JOSE
import TestSupport
import Testing

@testable import GatehouseServer

@Suite("Weak secrets")
struct WeakSecretTests {
    private static let secrets = [
        "JWT_ACCESS_SECRET", "JWT_REFRESH_SECRET", "JWT_ACCESS_SECRET_PREVIOUS", "JWT_REFRESH_SECRET_PREVIOUS",
    ]

    private static let random = "EIYk4Hap3db0PQ1sKREQ6z87uAL0AE6_lAihPZEolxM"
    private static let randomBytes = Base64URL.decode(random) ?? []

    private func expectFault(_ name: String, _ value: String, _ changes: [String: String?] = [:]) {
        let faults = TestConfiguration.faults(changes.merging([name: value]) { $1 })
        #expect(faults.map(\.name) == [name], "\(name)=\(value)")
        #expect(faults.first?.message.hasPrefix("is not random: ") == true, "\(faults)")
        #expect(!faults.map(\.description).joined().contains(value))
    }

    @Test("a secret with fewer than eight different bytes is refused, as text or as base64", arguments: secrets)
    func repetitive(name: String) {
        expectFault(name, String(repeating: "x", count: 32))
        expectFault(name, String(repeating: "changem", count: 10))
        expectFault(name, String(repeating: "00", count: 32))
        expectFault(name, Base64URL.encode((0..<32).map { UInt8(16 * ($0 % 7) + 3) }))
    }

    @Test(
        "a secret that is easy to guess is refused, as text, in base64 and in hexadecimal",
        arguments: [
            String(repeating: "abcdefgh", count: 4), "0123456789abcdef0123456789abcdef",
            "change-me-in-production-0123456789", "Please_Change_This_Before_You_Go_Live",
            "replace-me-with-32-random-characters", "PASSWORD-of-the-server-1983-x!qz",
            "example-secret-example-secret-ex", "abcdefghijklmnopqrstuvwxyz012345", "qwertyuiopasdfghjklzxcvbnm123456",
            "your-secret-goes-here-and-is-long", "zyxwvutsrqponmlkjihgfedcba987654",
        ])
    func predictable(secret: String) {
        let bytes = Array(secret.utf8)
        let hexadecimal = bytes.map { String(format: "%02X", $0) }.joined()
        for name in Self.secrets {
            expectFault(name, secret)
            expectFault(name, hexadecimal)
            expectFault(name, Base64URL.encode(Array(bytes.prefix(32))))
        }
    }

    @Test("bytes that count up are refused, in base64 and in hexadecimal")
    func counting() {
        for step in [1, 3, 255] as [UInt8] {
            let bytes = (0..<32).map { $0 &* step }
            expectFault("JWT_REFRESH_SECRET", Base64URL.encode(bytes))
            expectFault("JWT_REFRESH_SECRET", bytes.map { String(format: "%02x", $0) }.joined())
        }
    }

    @Test("a generated secret is never refused")
    func generated() {
        var generator = SeededGenerator(seed: 1)
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) } }
        func hexadecimal(_ count: Int) -> String { bytes(count).map { String(format: "%02x", $0) }.joined() }
        let formats: [(name: String, make: () -> String)] = [
            ("openssl rand -hex 32", { hexadecimal(32) }), ("openssl rand -hex 16", { hexadecimal(16) }),
            ("openssl rand -hex 24", { hexadecimal(24) }),
            ("openssl rand -base64 32", { Data(bytes(32)).base64EncodedString() }),
            ("openssl rand -base64 24", { Data(bytes(24)).base64EncodedString() }),
            ("openssl rand -base64 48", { Data(bytes(48)).base64EncodedString() }),
            ("gatehouse keys generate", { Base64URL.encode(bytes(32)) }),
        ]
        let count = Need.areAllMet ? 5000 : 500
        for format in formats {
            let refused = (0..<count).map { _ in format.make() }.filter { Secret(text: $0).fault(atLeast: 32) != nil }
            #expect(refused.isEmpty, "\(format.name)")
        }
        let keys = (0..<count).map { _ in bytes(32) }.filter(\.isPredictable)
        #expect(keys.isEmpty, "the private parts of key pairs")
    }

    @Test("a data key is judged by the bytes that it encodes", arguments: ["DATA_KEY", "DATA_KEY_PREVIOUS"])
    func dataKeys(name: String) throws {
        let key = ["DATA_KEY": Self.random] as [String: String?]
        expectFault(name, Base64URL.encode([UInt8](repeating: 7, count: 32)), key)
        expectFault(name, Base64URL.encode((0..<32).map { $0 % 7 * 31 }) + "=", key)
        expectFault(name, Base64URL.encode((0..<32).map { $0 % 8 }), key)
        expectFault(name, String(repeating: "A", count: 43), key)
    }

    /// A weak private key in PKCS #8, which no tool generates.
    private static func pem(_ header: [UInt8], _ privatePart: [UInt8]) -> String {
        let body = Data(header + privatePart).base64EncodedString()
        return "-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----"
    }

    private static let ed25519: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]
    private static let p256: [UInt8] = [
        0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
    ]

    @Test(
        "a key pair is judged by its private part",
        arguments: ["ACCESS_SIGNING_KEY", "ACCESS_SIGNING_KEY_PREVIOUS", "APPLE_PRIVATE_KEY"], [ed25519, p256])
    func keyPairs(name: String, header: [UInt8]) {
        let isAppleKey = name == "APPLE_PRIVATE_KEY"
        if isAppleKey, header == Self.ed25519 { return }
        let others = isAppleKey ? AppleServerSettingsTests.complete : [:]
        expectFault(name, Self.pem(header, [UInt8](repeating: 0, count: 31) + [1]), others)
        expectFault(name, Self.pem(header, (0..<32).map { $0 % 7 + 1 }), others)
        expectFault(name, Self.pem(header, Array(1...32)), others)
        let good = Self.pem(header, Self.randomBytes)
        #expect(TestConfiguration.faults(others.merging([name: good]) { $1 }).isEmpty)
    }

    @Test("a key pair is judged with any line ends, and with other text before it")
    func shapesOfPEM() {
        let weak = Self.pem(Self.p256, [UInt8](repeating: 0, count: 31) + [1])
        let good = Self.pem(Self.p256, Self.randomBytes)
        let shapes: [(String) -> String] = [
            { $0.replacing("\n", with: " \n") + " \t" }, { $0.replacing("\n", with: "\r\n") + "\r\n" },
            { $0.replacing("\n", with: " \r\n") }, { "Bag Attributes\n    localKeyID: 01\n" + $0 },
            { "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" + $0 },
        ]
        for shape in shapes {
            #expect(TestConfiguration.faults(["ACCESS_SIGNING_KEY": shape(good)]).isEmpty, "\(shape(good))")
            expectFault("ACCESS_SIGNING_KEY", shape(weak))
        }
    }

    @Test("the secret of the development login has at least 16 bytes, and a weak one is refused")
    func devSecret() {
        let development = ["APP_ENV": "development"] as [String: String?]
        func faults(_ secret: String, _ environment: [String: String?]) -> [SettingFault] {
            TestConfiguration.faults(environment.merging(["DEV_LOGIN_SECRET": secret]) { $1 })
        }
        #expect(faults("hunter2-hunter2", development).map(\.name) == ["DEV_LOGIN_SECRET"])
        #expect(
            faults("hunter2-hunter2", development).first?.message == "is too short: it needs at least 16 bytes")
        expectFault("DEV_LOGIN_SECRET", "hunter2hunter2hunter2", development)
        #expect(faults("0123456789abcdef", development).isEmpty)
        // It is checked only if it is used: a server in production with such a secret still starts.
        #expect(faults("hunter2", [:]).isEmpty)
        #expect(faults("hunter2", ["APP_ENV": "development", "NODE_ENV": "production"]).isEmpty)
    }

    @Test("a secret beside a key pair that signs is a warning with advice")
    func besideKey() throws {
        let older = "older-secret-of-the-tests-0123456789"
        let key = ["ACCESS_SIGNING_KEY": PEMFixtures.p256] as [String: String?]
        func warnings(_ changes: [String: String?]) throws -> [String] { try TestConfiguration.read(changes).warnings }
        let one = try warnings(key)
        #expect(one.count == 1)
        #expect(one.first?.hasPrefix("JWT_ACCESS_SECRET is set beside ACCESS_SIGNING_KEY: ") == true)
        #expect(one.first?.contains("remove it once") == true && one.first?.contains("(ACCESS_TOKEN_TTL)") == true)
        let two = try warnings(key.merging(["JWT_ACCESS_SECRET_PREVIOUS": older]) { $1 })
        #expect(two.map { $0.prefix { $0 != " " } } == ["JWT_ACCESS_SECRET", "JWT_ACCESS_SECRET_PREVIOUS"])
        #expect(!two.joined().contains(TestConfiguration.accessSecret) && !two.joined().contains(older))
        #expect(try warnings(key.merging(["JWT_ACCESS_SECRET": nil]) { $1 }).isEmpty)
        #expect(try warnings(["ACCESS_SIGNING_KEY_PREVIOUS": PEMFixtures.p256]).isEmpty, "the secret signs")
        #expect(try warnings([:]).isEmpty)
    }
}
