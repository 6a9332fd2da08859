import Foundation
import GatehouseServer
import GatehouseTokens
import JOSE
import TestSupport
import Testing

@Suite("Settings of keys that sign access tokens")
struct SigningKeyTests {
    private static let (name, previous) = ("ACCESS_SIGNING_KEY", "ACCESS_SIGNING_KEY_PREVIOUS")

    /// The key IDs: first the key that signs, then keys that are only accepted.
    private func ring(_ changes: [String: String?]) throws -> [String?] {
        let ring = try TestConfiguration.read(changes).accessKeys
        return ([ring.current] + ring.previous).map(\.keyID)
    }

    private func keyID(secret: String) throws -> String? {
        try SigningKey(writtenSecret: Array(secret.utf8)).keyID
    }

    private func keyID(pem: String) throws -> String? { try SigningKey(pem: pem).thumbprint }

    @Test(
        "a P-256 key signs with ES256 and an Ed25519 key with EdDSA, and the thumbprint is the key ID",
        arguments: [
            (PEMFixtures.p256, Algorithm.ES256), (PEMFixtures.p256SEC1, .ES256), (PEMFixtures.p256 + "\n\n", .ES256),
            (PEMFixtures.ed25519, .EdDSA),
            (PEMFixtures.ed25519.split(separator: "\n").joined(separator: "\r\n"), .EdDSA),
        ])
    func algorithms(pem: String, algorithm: Algorithm) throws {
        let ring = try TestConfiguration.read([Self.name: pem, "JWT_ACCESS_SECRET": nil]).accessKeys
        #expect(ring.current.algorithm == algorithm)
        #expect(try ring.current.keyID == keyID(pem: pem))
        #expect(ring.previous.isEmpty)
        #expect(ring.publishedKeySet != nil)
    }

    @Test("a key pair signs, and tokens signed with the secrets are still accepted")
    func keyAndSecrets() throws {
        let older = "older-secret-of-the-tests-0123456789"
        let all: [String: String?] = [
            Self.name: PEMFixtures.p256, Self.previous: PEMFixtures.ed25519, "JWT_ACCESS_SECRET_PREVIOUS": older,
        ]
        let key = try keyID(pem: PEMFixtures.p256)
        let (secret, olderSecret) = (try keyID(secret: TestConfiguration.accessSecret), try keyID(secret: older))
        #expect(try ring([Self.name: PEMFixtures.p256]) == [key, secret])
        #expect(try ring(all) == [key, secret, olderSecret, keyID(pem: PEMFixtures.ed25519)])
        // The former secret can be set as a previous one.
        #expect(try ring(all.merging(["JWT_ACCESS_SECRET": nil, Self.previous: nil]) { $1 }) == [key, olderSecret])
    }

    @Test("without a key pair a secret signs, and tokens signed with a previous key pair are still accepted")
    func secretAndKey() throws {
        let expected = [try keyID(secret: TestConfiguration.accessSecret), try keyID(pem: PEMFixtures.ed25519)]
        #expect(try ring([Self.previous: PEMFixtures.ed25519]) == expected)
        #expect(
            TestConfiguration.faults([Self.previous: PEMFixtures.ed25519, "JWT_ACCESS_SECRET": nil]).map(\.name) == [
                "JWT_ACCESS_SECRET"
            ])
    }

    @Test("refresh tokens are always signed with a secret")
    func refreshKeys() throws {
        let ring = try TestConfiguration.read([Self.name: PEMFixtures.p256, Self.previous: PEMFixtures.ed25519])
            .refreshKeys
        #expect(try ring.current.keyID == keyID(secret: TestConfiguration.refreshSecret))
        #expect(ring.previous.isEmpty)
        #expect(
            TestConfiguration.faults([Self.name: PEMFixtures.p256, "JWT_REFRESH_SECRET": nil]).map(\.name) == [
                "JWT_REFRESH_SECRET"
            ])
    }

    @Test("a key can come from a file or a credential")
    func places() throws {
        let folder = try TemporaryFolder()
        for name in ["key.pem", "access_signing_key", "access_signing_key_previous"] {
            let pem = name.hasSuffix("previous") ? PEMFixtures.ed25519 : PEMFixtures.p256
            try Data((pem + "\n").utf8).write(to: URL(fileURLWithPath: folder.file(name)))
        }
        let (key, older) = (try keyID(pem: PEMFixtures.p256), try keyID(pem: PEMFixtures.ed25519))
        let none: [String: String?] = ["JWT_ACCESS_SECRET": nil]
        #expect(try ring(none.merging([Self.name + "_FILE": folder.file("key.pem")]) { $1 }) == [key])
        #expect(try ring(none.merging(["CREDENTIALS_DIRECTORY": folder.path]) { $1 }) == [key, older])
    }

    static let unfit = [
        "secret", PEMFixtures.p384, PEMFixtures.p256Encrypted, PEMFixtures.p256Public, PEMFixtures.p256Mismatched,
        PEMFixtures.rsa2048, String(PEMFixtures.p256.dropLast(40)), TestConfiguration.accessSecret,
    ]

    @Test(
        "a value that is not such a key is a fault, which states the expected form and not the value", arguments: unfit)
    func unfitKeys(text: String) throws {
        for name in [Self.name, Self.previous] {
            let faults = TestConfiguration.faults([name: text])
            #expect(faults.map(\.name) == [name])
            let message = try #require(faults.first?.message)
            #expect(message == "must be one private key in PEM (PKCS #8), P-256 or Ed25519, and not encrypted")
        }
        // A key with a fault still makes the secret optional.
        #expect(TestConfiguration.faults([Self.name: text, "JWT_ACCESS_SECRET": nil]).map(\.name) == [Self.name])
    }

    @Test("two keys in a setting for one key are a fault")
    func twoKeys() {
        let faults = TestConfiguration.faults([Self.name: PEMFixtures.p256 + "\n" + PEMFixtures.ed25519])
        #expect(faults.map(\.name) == [Self.name])
        #expect(faults.first?.message.hasPrefix("must be one private key in PEM") == true)
    }

    @Test(
        "a key that is both current and previous is published once, with a warning",
        arguments: [PEMFixtures.p256, PEMFixtures.p256SEC1])
    func sameKey(pem: String) throws {
        let both = [Self.name: PEMFixtures.p256, Self.previous: pem + "\n" + PEMFixtures.ed25519]
        let configuration = try TestConfiguration.read(both)
        let secret = try keyID(secret: TestConfiguration.accessSecret)
        #expect(try ring(both) == [keyID(pem: PEMFixtures.p256), secret, keyID(pem: PEMFixtures.ed25519)])
        #expect(
            configuration.warnings.contains { $0.hasPrefix("\(Self.previous) line 1 is the same key as \(Self.name):") }
        )
    }

    @Test("faults of keys and secrets are reported together, and a key that cannot be read is not missing")
    func together() {
        let bad: [String: String?] = [
            Self.name + "_FILE": "/nowhere/key.pem", Self.previous: "Xbad", "JWT_ACCESS_SECRET": nil,
            "JWT_ACCESS_SECRET_PREVIOUS": "Xbad-short", "JWT_REFRESH_SECRET": nil,
        ]
        let faults = TestConfiguration.faults(bad)
        #expect(
            faults.map(\.name) == [Self.name, Self.previous, "JWT_ACCESS_SECRET_PREVIOUS", "JWT_REFRESH_SECRET"])
        #expect(!faults.map(\.description).joined().contains("Xbad"))
    }
}
