import Foundation
import Gatehouse
import GatehouseServer
import GatehouseTokens
import JOSE
import TestSupport
import Testing

@Suite("Where secrets come from")
struct SecretTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ name: String, _ content: [UInt8]) throws -> String {
        try Data(content).write(to: URL(fileURLWithPath: folder.file(name)))
        return folder.file(name)
    }

    /// The name of the key that came of it: the same for the same secret.
    private func accessKey(_ changes: [String: String?]) throws -> String? {
        try Settings.read(changes).accessKeys.current.keyID
    }

    @Test(
        "a secret in a file is the secret itself, without the line end after it", arguments: ["", "\n", "\r\n", "\n\n"])
    func files(end: String) throws {
        let path = try file("secret", Array((Settings.accessSecret + end).utf8))
        let expected = try accessKey([:])
        #expect(try accessKey(["JWT_ACCESS_SECRET": nil, "JWT_ACCESS_SECRET_FILE": path]) == expected)
    }

    @Test("white space that is no line end belongs to the secret")
    func spaces() throws {
        let path = try file("secret", Array((Settings.accessSecret + " \n").utf8))
        let key = try accessKey(["JWT_ACCESS_SECRET": nil, "JWT_ACCESS_SECRET_FILE": path])
        #expect(try key == accessKey(["JWT_ACCESS_SECRET": Settings.accessSecret + " "]))
        #expect(try key != accessKey([:]))
    }

    @Test("a systemd credential has the setting's name in lower case")
    func credentials() throws {
        _ = try file("jwt_access_secret", Array((Settings.accessSecret + "\n").utf8))
        let changes: [String: String?] = ["JWT_ACCESS_SECRET": nil, "CREDENTIALS_DIRECTORY": folder.path]
        #expect(try accessKey(changes) == accessKey([:]))
        #expect(
            Settings.faults(["JWT_REFRESH_SECRET": nil, "CREDENTIALS_DIRECTORY": folder.path]).map(\.name) == [
                "JWT_REFRESH_SECRET"
            ])
    }

    @Test("a variable and a file go before a credential, which a unit may set for all")
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

    @Test("a secret that is set in two ways is a fault, whichever they are of")
    func setTwice() throws {
        let path = try file("secret", Array(Settings.accessSecret.utf8))
        let faults = Settings.faults(["JWT_ACCESS_SECRET_FILE": path])
        #expect(faults.map(\.name) == ["JWT_ACCESS_SECRET"])
        #expect(faults.first?.message.contains("JWT_ACCESS_SECRET_FILE") == true)
        #expect(!faults.map(\.description).joined().contains(Settings.accessSecret))
    }

    @Test("a file that is missing, empty, too large, no text or a folder is a fault")
    func unusableFiles() throws {
        let paths = [
            folder.file("missing"), try file("empty", []), try file("newline", [0x0A]), folder.path,
            try file("large", Array(repeating: 0x61, count: 65_537)),
            try file("binary", Array(repeating: 0xC3, count: 48)),
        ]
        for path in paths {
            let faults = Settings.faults(["JWT_ACCESS_SECRET": nil, "JWT_ACCESS_SECRET_FILE": path])
            #expect(faults.map(\.name) == ["JWT_ACCESS_SECRET"], "\(path)")
        }
    }

    @Test(
        "a secret has at least 32 bytes, the one before it too", arguments: ["JWT_ACCESS_SECRET", "JWT_REFRESH_SECRET"])
    func lengths(name: String) {
        let long = "0123456789abcdef0123456789abcdef"
        let short = String(long.dropLast())
        #expect(Settings.faults([name: short]).map(\.name) == [name])
        #expect(Settings.faults([name: long]).isEmpty)
        #expect(Settings.faults([name: "éèêëàâäîïôöùûüçñ"]).isEmpty, "bytes, not characters")
        #expect(Settings.faults([name + "_PREVIOUS": short]).map(\.name) == [name + "_PREVIOUS"])
        #expect(Settings.faults([name + "_PREVIOUS": long]).isEmpty)
    }

    @Test(
        "no secret serves two purposes",
        arguments: [
            ("JWT_REFRESH_SECRET", Settings.accessSecret),
            ("JWT_ACCESS_SECRET_PREVIOUS", Settings.refreshSecret),
            ("JWT_REFRESH_SECRET_PREVIOUS", Settings.accessSecret),
        ])
    func sharedSecrets(name: String, value: String) {
        let faults = Settings.faults([name: value])
        #expect(faults.count == 1)
        #expect(faults.first?.message.contains("must differ from") == true)
        #expect(!faults.map(\.description).joined().contains(value))
    }

    @Test("secrets that are missing are told of as missing, and not as equal")
    func missingSecrets() {
        let names = ["JWT_ACCESS_SECRET", "JWT_REFRESH_SECRET"]
        let faults = Settings.faults(Dictionary(uniqueKeysWithValues: names.map { ($0, nil) }))
        #expect(faults.map(\.name) == names)
        #expect(faults.allSatisfy { $0.message.hasPrefix("is missing") })
    }

    @Test("the secret before is kept on the ring")
    func previous() throws {
        let older = "older-secret-of-the-tests-0123456789"
        let rings = try Settings.read(["JWT_ACCESS_SECRET_PREVIOUS": older])
        let expected = try KeyRing(secret: Array(older.utf8)).current.keyID
        #expect(rings.accessKeys.previous.map(\.keyID) == [expected])
        #expect(rings.refreshKeys.previous.isEmpty)
    }

    @Test("a file works for every setting, and its fault is named after the setting")
    func otherSettings() throws {
        let configuration = try Settings.read(["WORKERS_FILE": file("workers", Array("9\n".utf8))])
        #expect(configuration.workers == 9)
        #expect(Settings.faults(["WORKERS_FILE": try file("bad", Array("x".utf8))]).map(\.name) == ["WORKERS"])
    }
}
