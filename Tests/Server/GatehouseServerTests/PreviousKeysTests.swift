import Foundation
import Gatehouse
import GatehouseServer
import GatehouseTokens
import JOSE
import TestSupport
import Testing

@Suite("Settings with several previous keys")
struct PreviousKeysTests {
    private static let secrets = (0..<20).map { "previous-secret-\($0)-of-the-tests-0123456789" }
    private static let pems = [PEMFixtures.ed25519, PEMFixtures.p256]

    private func dataKey(_ number: UInt8) -> String {
        var generator = SeededGenerator(seed: UInt64(number))
        return Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private func keyIDs(_ secrets: some Sequence<String>) throws -> [String?] {
        try secrets.map { try SigningKey(writtenSecret: Array($0.utf8)).keyID }
    }

    @Test(
        "each line has one secret; comments, empty lines and the kind of line ends are ignored",
        arguments: [
            { $0.joined(separator: "\n") }, { $0.joined(separator: "\r\n") + "\r\n" },
            { "\n# newest\n\($0[0])\n\n  \n#\($0[1])\n\($0[1])\n# replaced 2026-11-22T10:00:00Z\n\($0[2])\n# end" },
        ] as [@Sendable ([String]) -> String])
    func lines(write: @Sendable ([String]) -> String) throws {
        let text = write(Array(Self.secrets.prefix(3)))
        for name in ["JWT_ACCESS_SECRET", "JWT_REFRESH_SECRET"] {
            let configuration = try TestConfiguration.read([name + "_PREVIOUS": text])
            let ring = name == "JWT_ACCESS_SECRET" ? configuration.accessKeys : configuration.refreshKeys
            #expect(try ring.previous.map(\.keyID) == keyIDs(Self.secrets.prefix(3)), "\(name)")
        }
    }

    @Test("a setting with comments only has no keys", arguments: ["# nothing", "\n#\n  \n"])
    func none(text: String) throws {
        let folder = try TemporaryFolder()
        try text.write(toFile: folder.file("previous"), atomically: true, encoding: .utf8)
        for name in ["JWT_ACCESS_SECRET", "JWT_REFRESH_SECRET", "ACCESS_SIGNING_KEY", "DATA_KEY"] {
            let configuration = try TestConfiguration.read([name + "_PREVIOUS_FILE": folder.file("previous")])
            #expect(configuration.accessKeys.previous.isEmpty && configuration.refreshKeys.previous.isEmpty)
        }
    }

    @Test(
        "a comment that may be a secret is a fault if there is no key",
        arguments: ["#", "\n##"])
    func possibleSecret(mark: String) {
        for name in ["JWT_ACCESS_SECRET_PREVIOUS", "ACCESS_SIGNING_KEY_PREVIOUS", "DATA_KEY_PREVIOUS"] {
            let faults = TestConfiguration.faults([name: mark + Self.secrets[0], "DATA_KEY": dataKey(1)])
            #expect(faults.count == 1 && faults[0].description.hasPrefix("\(name) holds no key: a line"), "\(faults)")
            #expect(!faults.description.contains(Self.secrets[0]))
        }
        #expect(
            TestConfiguration.faults(["JWT_ACCESS_SECRET_PREVIOUS": mark + Self.secrets[0] + "\n" + Self.secrets[1]])
                .isEmpty)
    }

    @Test("a fault has the line and no value")
    func faults() {
        let good = Self.secrets[0]
        let access = TestConfiguration.faults([
            "JWT_ACCESS_SECRET_PREVIOUS": "# c\n\(good)\nXshort\n\(TestConfiguration.refreshSecret)"
        ])
        #expect(
            access.map(\.description) == [
                "JWT_ACCESS_SECRET_PREVIOUS line 3 is too short: it needs at least 32 bytes",
                "JWT_REFRESH_SECRET must differ from JWT_ACCESS_SECRET_PREVIOUS line 4",
            ])
        let data = TestConfiguration.faults(["DATA_KEY": dataKey(1), "DATA_KEY_PREVIOUS": dataKey(2) + "\nXbad"])
        #expect(data.map(\.description) == ["DATA_KEY_PREVIOUS line 2 must be 32 bytes in base64 or base64url"])
        let pem = TestConfiguration.faults([
            "ACCESS_SIGNING_KEY": PEMFixtures.p256,
            "ACCESS_SIGNING_KEY_PREVIOUS": PEMFixtures.ed25519 + "\n" + PEMFixtures.p384,
        ])
        let line = PEMFixtures.ed25519.split(separator: "\n").count + 1
        #expect(pem.count == 1 && pem.first?.message.hasPrefix("line \(line) must be one private key in PEM") == true)
    }

    @Test("a key that is both current and previous is a warning, because an interrupted rotation leaves it so")
    func repetition() throws {
        for (name, text) in [
            ("JWT_ACCESS_SECRET", TestConfiguration.accessSecret),
            ("JWT_REFRESH_SECRET", TestConfiguration.refreshSecret),
        ] {
            let configuration = try TestConfiguration.read([name + "_PREVIOUS": Self.secrets[0] + "\n" + text])
            let ring = name == "JWT_ACCESS_SECRET" ? configuration.accessKeys : configuration.refreshKeys
            #expect(try ring.previous.map(\.keyID) == keyIDs(Self.secrets.prefix(1)))
            #expect(
                configuration.warnings.contains { $0.hasPrefix("\(name)_PREVIOUS line 2 is the same key as \(name):") })
            #expect(!configuration.warnings.joined().contains(text))
        }
        for text in [dataKey(1), dataKey(1) + "="] {
            let warnings = try TestConfiguration.read(["DATA_KEY": dataKey(1), "DATA_KEY_PREVIOUS": text]).warnings
            #expect(warnings.contains { $0.hasPrefix("DATA_KEY_PREVIOUS is the same key as DATA_KEY:") })
        }
    }

    @Test("16 keys are accepted, and more are a fault")
    func bound() {
        for (count, faults) in [(16, 0), (17, 1)] {
            let found = TestConfiguration.faults([
                "JWT_REFRESH_SECRET_PREVIOUS": Self.secrets.prefix(count).joined(separator: "\n")
            ])
            #expect(found.count == faults)
            #expect(found.allSatisfy { $0.message.hasPrefix("holds 17 keys, and at most 16") })
        }
    }

    @Test("key pairs are one after the other, with text between them, and all are published")
    func keyPairs() throws {
        let text = "# replaced 2026-11-22T10:00:00Z\n" + Self.pems.joined(separator: "\n\n# older\n") + "\n"
        let ring = try TestConfiguration.read(["ACCESS_SIGNING_KEY_PREVIOUS": text]).accessKeys
        let expected = try Self.pems.map { try SigningKey(pem: $0).thumbprint }
        #expect(ring.previous.map(\.keyID) == expected)
        #expect(try JWKSet(parsing: #require(ring.publishedKeySet)).keyIDs == expected)
    }

    @Test("previous data keys decrypt what they encrypted, and encrypt nothing")
    func dataKeys() throws {
        let owner = UserID("user_01")
        let sealed = try (1...3).map { number in
            try #require(try TestConfiguration.read(["DATA_KEY": dataKey(number)]).vault).seal("x\(number)", for: owner)
        }
        let text = [3, 2, 1].map { dataKey($0) }.joined(separator: "\n")
        let vault = try #require(try TestConfiguration.read(["DATA_KEY": dataKey(4), "DATA_KEY_PREVIOUS": text]).vault)
        #expect(sealed.map { vault.open($0, for: owner) } == ["x1", "x2", "x3"])
        #expect(vault.heads.count == 4)
        #expect(Array(vault.seal("x", for: owner).prefix(5)) == vault.currentHead)
        #expect(sealed.map { Array($0.prefix(5)) } == vault.heads.dropFirst().reversed())
    }

    // MARK: The list of keys in a file

    private static let moment = Timestamp(seconds: 1_795_341_000)

    @Test("a list is written as it was read, including comments and records")
    func roundTrip() {
        let text = """
            # from the old machine
            # replaced 2026-11-22T10:00:00.000Z
            a
            # published 2026-11-22T09:59:59.250Z, to sign after the next: gatehouse keys rotate
            b
            c
            # the end

            """
        let list = KeyList(parsing: text, .line)
        #expect(list.text == text)
        #expect(list.entries.map(\.text) == ["a", "b", "c"] && list.entries.map(\.line) == [3, 5, 6])
        #expect(list.entries[0].record?.moment.description == "2026-11-22T10:00:00.000Z")
        #expect(list.entries[2].record == nil)
        let moment = list.entries[1].record?.moment
        #expect(moment?.description == "2026-11-22T09:59:59.250Z" && moment?.toTheSecond == "2026-11-22T10:00:00Z")
        #expect(
            KeyList(parsing: "# replaced 2026-11-22T10:00:00Z\na", .line).entries[0].record == list.entries[0].record)
    }

    @Test(
        "a record without a valid time is a comment",
        arguments: ["", " soon", " 2026-13-01T00:00:00Z", " 2026-11-22", " 2026-02-31T00:00:00Z"])
    func records(text: String) {
        let list = KeyList(parsing: "# replaced\(text)\nkey", .line)
        #expect(list.entries == [KeyList.Entry("key", line: 2, comments: ["# replaced\(text)"])])
    }

    @Test("an added key is first in the list, and in it once")
    func adding() {
        let list = KeyList(parsing: "a\nb\n", .line).adding(KeyList.Entry("b", record: .replaced(Self.moment)))
        #expect(list.text == "# replaced \(Self.moment)\nb\na\n")
        #expect(KeyList(parsing: list.text, .line).entries[0].record == .replaced(Self.moment))
        #expect(list.without("b").text == "a\n" && list.without("a").contains("b"))
    }
}
