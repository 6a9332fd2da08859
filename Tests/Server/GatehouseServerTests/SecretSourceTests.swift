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
        "line ends after a secret in a file are not part of it, and other white space is",
        arguments: [("", ""), ("\n", ""), ("\r\n", ""), ("\n\n", ""), (" \n", " ")])
    func files(end: String, kept: String) throws {
        let path = try file("secret", Array((TestConfiguration.accessSecret + end).utf8))
        let expected = try accessKey(["JWT_ACCESS_SECRET": TestConfiguration.accessSecret + kept])
        #expect(try accessKey(["JWT_ACCESS_SECRET": nil, "JWT_ACCESS_SECRET_FILE": path]) == expected)
        #expect(try kept.isEmpty == (expected == accessKey([:])))
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
        "two settings with the same secret are a fault, a data key in any encoding",
        arguments: [
            ("JWT_REFRESH_SECRET", TestConfiguration.accessSecret),
            ("JWT_ACCESS_SECRET_PREVIOUS", TestConfiguration.refreshSecret),
            ("JWT_REFRESH_SECRET_PREVIOUS", TestConfiguration.accessSecret),
            ("JWT_ACCESS_SECRET", AppleServerSettingsTests.dataKey),
            ("JWT_REFRESH_SECRET", AppleServerSettingsTests.dataKey),
            ("JWT_ACCESS_SECRET_PREVIOUS", AppleServerSettingsTests.dataKey),
            ("JWT_REFRESH_SECRET_PREVIOUS", AppleServerSettingsTests.dataKey + "="),
        ])
    func sharedSecrets(name: String, value: String) {
        let faults = TestConfiguration.faults([name: value, "DATA_KEY": AppleServerSettingsTests.dataKey])
        #expect(faults.count == 1)
        #expect(faults.first?.message.hasPrefix("must differ from ") == true)
        #expect(!faults.map(\.description).joined().contains(String(value.prefix(37))))
    }

    @Test("missing secrets are reported as missing, and not as equal")
    func missingSecrets() {
        let names = ["JWT_ACCESS_SECRET", "JWT_REFRESH_SECRET"]
        let faults = TestConfiguration.faults(Dictionary(uniqueKeysWithValues: names.map { ($0, nil) }))
        #expect(faults.map(\.name) == names)
        #expect(faults.allSatisfy { $0.message.hasPrefix("is missing") })
    }
}
