import Foundation
import Gatehouse
import GatehouseServer
import GatehouseTokens
import JOSE
import TestSupport
import Testing

@Suite("Sources of secrets")
struct SecretSourceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ name: String, _ content: [UInt8]) throws -> String {
        try Data(content).write(to: URL(fileURLWithPath: folder.file(name)))
        return folder.file(name)
    }

    /// The ID of the key, which is the same for the same secret.
    private func accessKey(_ changes: [String: String?]) throws -> String? {
        try TestConfiguration.read(changes).accessKeys.current.keyID
    }

    @Test(
        "line ends after a secret in a file are not part of it", arguments: ["", "\n", "\r\n", "\n\n"])
    func files(end: String) throws {
        let path = try file("secret", Array((TestConfiguration.accessSecret + end).utf8))
        let expected = try accessKey([:])
        #expect(try accessKey(["JWT_ACCESS_SECRET": nil, "JWT_ACCESS_SECRET_FILE": path]) == expected)
    }

    @Test("other white space is part of the secret")
    func spaces() throws {
        let path = try file("secret", Array((TestConfiguration.accessSecret + " \n").utf8))
        let key = try accessKey(["JWT_ACCESS_SECRET": nil, "JWT_ACCESS_SECRET_FILE": path])
        #expect(try key == accessKey(["JWT_ACCESS_SECRET": TestConfiguration.accessSecret + " "]))
        #expect(try key != accessKey([:]))
    }

    @Test("a systemd credential has the setting's name in lower case")
    func credentials() throws {
        _ = try file("jwt_access_secret", Array((TestConfiguration.accessSecret + "\n").utf8))
        let changes: [String: String?] = ["JWT_ACCESS_SECRET": nil, "CREDENTIALS_DIRECTORY": folder.path]
        #expect(try accessKey(changes) == accessKey([:]))
        #expect(
            TestConfiguration.faults(["JWT_REFRESH_SECRET": nil, "CREDENTIALS_DIRECTORY": folder.path]).map(\.name) == [
                "JWT_REFRESH_SECRET"
            ])
    }

    @Test("a variable and a file take precedence over a credential")
    func precedence() throws {
        _ = try file("jwt_access_secret", Array("a-credential-that-is-long-enough-012345".utf8))
        let path = try file("secret", Array("a-file-whose-secret-is-long-enough-01234".utf8))
        let directory: [String: String?] = ["CREDENTIALS_DIRECTORY": folder.path]
        #expect(try accessKey(directory) == accessKey([:]))
        let both: [String: String?] = [
            "CREDENTIALS_DIRECTORY": folder.path, "JWT_ACCESS_SECRET": nil, "JWT_ACCESS_SECRET_FILE": path,
        ]
        #expect(try accessKey(both) == accessKey(["JWT_ACCESS_SECRET": "a-file-whose-secret-is-long-enough-01234"]))
    }

    @Test("a secret that is set as a variable and as a file is a fault")
    func setTwice() throws {
        let path = try file("secret", Array(TestConfiguration.accessSecret.utf8))
        let faults = TestConfiguration.faults(["JWT_ACCESS_SECRET_FILE": path])
        #expect(faults.map(\.name) == ["JWT_ACCESS_SECRET"])
        #expect(faults.first?.message.contains("JWT_ACCESS_SECRET_FILE") == true)
        #expect(!faults.map(\.description).joined().contains(TestConfiguration.accessSecret))
    }

    @Test("a file that is missing, empty, too large, not text or a folder is a fault")
    func unusableFiles() throws {
        let paths = [
            folder.file("missing"), try file("empty", []), try file("newline", [0x0A]), folder.path,
            try file("large", Array(repeating: 0x61, count: 65_537)),
            try file("binary", Array(repeating: 0xC3, count: 48)),
        ]
        for path in paths {
            let faults = TestConfiguration.faults(["JWT_ACCESS_SECRET": nil, "JWT_ACCESS_SECRET_FILE": path])
            #expect(faults.map(\.name) == ["JWT_ACCESS_SECRET"], "\(path)")
        }
    }

    @Test(
        "a secret and its previous one have at least 32 bytes", arguments: ["JWT_ACCESS_SECRET", "JWT_REFRESH_SECRET"])
    func lengths(name: String) {
        let long = "k3Vw9TqLz0RbX7mHc2YfN8sJd5PgA1uE"
        let short = String(long.dropLast())
        #expect(TestConfiguration.faults([name: short]).map(\.name) == [name])
        #expect(TestConfiguration.faults([name: long]).isEmpty)
        #expect(TestConfiguration.faults([name: "éèêëàâäîïôöùûüçñ"]).isEmpty, "bytes, not characters")
        #expect(TestConfiguration.faults([name + "_PREVIOUS": short]).map(\.name) == [name + "_PREVIOUS"])
        #expect(TestConfiguration.faults([name + "_PREVIOUS": long]).isEmpty)
    }

    @Test(
        "two settings with the same secret are a fault",
        arguments: [
            ("JWT_REFRESH_SECRET", TestConfiguration.accessSecret),
            ("JWT_ACCESS_SECRET_PREVIOUS", TestConfiguration.refreshSecret),
            ("JWT_REFRESH_SECRET_PREVIOUS", TestConfiguration.accessSecret),
        ])
    func sharedSecrets(name: String, value: String) {
        let faults = TestConfiguration.faults([name: value])
        #expect(faults.count == 1)
        #expect(faults.first?.message.contains("must differ from") == true)
        #expect(!faults.map(\.description).joined().contains(value))
    }

    @Test("missing secrets are reported as missing, and not as equal")
    func missingSecrets() {
        let names = ["JWT_ACCESS_SECRET", "JWT_REFRESH_SECRET"]
        let faults = TestConfiguration.faults(Dictionary(uniqueKeysWithValues: names.map { ($0, nil) }))
        #expect(faults.map(\.name) == names)
        #expect(faults.allSatisfy { $0.message.hasPrefix("is missing") })
    }

    @Test("a previous secret is in the key ring")
    func previous() throws {
        let older = "older-secret-of-the-tests-0123456789"
        let rings = try TestConfiguration.read(["JWT_ACCESS_SECRET_PREVIOUS": older])
        let expected = try KeyRing(secret: Array(older.utf8)).current.keyID
        #expect(rings.accessKeys.previous.map(\.keyID) == [expected])
        #expect(rings.refreshKeys.previous.isEmpty)
    }

    @Test("every setting can come from a file, and a fault has the name of the setting")
    func otherSettings() throws {
        let configuration = try TestConfiguration.read(["WORKERS_FILE": file("workers", Array("9\n".utf8))])
        #expect(configuration.workers == 9)
        #expect(TestConfiguration.faults(["WORKERS_FILE": try file("bad", Array("x".utf8))]).map(\.name) == ["WORKERS"])
    }
}
