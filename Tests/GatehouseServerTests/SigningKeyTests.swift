import Foundation
import GatehouseServer
import GatehouseTokens
import JOSE
import TestSupport
import Testing

@Suite("Keys that sign access tokens")
struct SigningKeyTests {
    private static let (name, previous) = ("ACCESS_SIGNING_KEY", "ACCESS_SIGNING_KEY_PREVIOUS")

    /// Names of keys: the one that signs, and those that are believed besides.
    private func ring(_ changes: [String: String?]) throws -> [String?] {
        let ring = try Settings.read(changes).accessKeys
        return ([ring.current] + ring.previous).map(\.keyID)
    }

    private func keyID(secret: String) throws -> String? {
        try SigningKey(writtenSecret: Array(secret.utf8)).keyID
    }

    private func keyID(pem: String) throws -> String? { try SigningKey(pem: pem).thumbprint }

    @Test(
        "a key of P-256 signs with ES256, one of Ed25519 with EdDSA, named by its thumbprint",
        arguments: [
            (PEMFixtures.p256, Algorithm.ES256), (PEMFixtures.p256SEC1, .ES256), (PEMFixtures.p256 + "\n\n", .ES256),
            (PEMFixtures.ed25519, .EdDSA),
            (PEMFixtures.ed25519.split(separator: "\n").joined(separator: "\r\n"), .EdDSA),
        ])
    func algorithms(pem: String, algorithm: Algorithm) throws {
        let ring = try Settings.read([Self.name: pem, "JWT_ACCESS_SECRET": nil]).accessKeys
        #expect(ring.current.algorithm == algorithm)
        #expect(try ring.current.keyID == keyID(pem: pem))
        #expect(ring.previous.isEmpty)
        #expect(ring.publishedKeySet != nil)
    }

    @Test("a key signs, and the secrets beside it are still believed")
    func keyAndSecrets() throws {
        let older = "older-secret-of-the-tests-0123456789"
        let all: [String: String?] = [
            Self.name: PEMFixtures.p256, Self.previous: PEMFixtures.ed25519, "JWT_ACCESS_SECRET_PREVIOUS": older,
        ]
        let key = try keyID(pem: PEMFixtures.p256)
        let (secret, olderSecret) = (try keyID(secret: Settings.accessSecret), try keyID(secret: older))
        #expect(try ring([Self.name: PEMFixtures.p256]) == [key, secret])
        #expect(try ring(all) == [key, secret, olderSecret, keyID(pem: PEMFixtures.ed25519)])
        // What was the secret until yesterday may as well be named for what it is.
        #expect(try ring(all.merging(["JWT_ACCESS_SECRET": nil, Self.previous: nil]) { $1 }) == [key, olderSecret])
    }

    @Test("without a key a secret signs, and the key before it is still believed")
    func secretAndKey() throws {
        let expected = [try keyID(secret: Settings.accessSecret), try keyID(pem: PEMFixtures.ed25519)]
        #expect(try ring([Self.previous: PEMFixtures.ed25519]) == expected)
        #expect(
            Settings.faults([Self.previous: PEMFixtures.ed25519, "JWT_ACCESS_SECRET": nil]).map(\.name) == [
                "JWT_ACCESS_SECRET"
            ])
    }

    @Test("refresh tokens have a secret whatever signs access tokens")
    func refreshKeys() throws {
        let ring = try Settings.read([Self.name: PEMFixtures.p256, Self.previous: PEMFixtures.ed25519]).refreshKeys
        #expect(try ring.current.keyID == keyID(secret: Settings.refreshSecret))
        #expect(ring.previous.isEmpty)
        #expect(
            Settings.faults([Self.name: PEMFixtures.p256, "JWT_REFRESH_SECRET": nil]).map(\.name) == [
                "JWT_REFRESH_SECRET"
            ])
    }

    @Test("a key comes from a file or a credential as well")
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
        String(PEMFixtures.p256.dropLast(40)),
        Settings.accessSecret,
    ]

    @Test("what is no such key is a fault that says what is expected and nothing of what was there", arguments: unfit)
    func unfitKeys(text: String) throws {
        for name in [Self.name, Self.previous] {
            let faults = Settings.faults([name: text])
            #expect(faults.map(\.name) == [name])
            let message = try #require(faults.first?.message)
            #expect(message == "must be one private key in PEM (PKCS #8), P-256 or Ed25519, and not encrypted")
        }
        // Nor is a secret missed that only a good key would have made up for.
        #expect(Settings.faults([Self.name: text, "JWT_ACCESS_SECRET": nil]).map(\.name) == [Self.name])
    }

    @Test("a key of RSA is none of these, however long")
    func rsa() throws {
        let pem = try #require(try SigningKey.generate(.RS256).pem)
        for name in [Self.name, Self.previous] { #expect(Settings.faults([name: pem]).map(\.name) == [name]) }
    }

    @Test("two keys in the place of one are a fault")
    func twoKeys() {
        let faults = Settings.faults([Self.name: PEMFixtures.p256 + "\n" + PEMFixtures.ed25519])
        #expect(faults.map(\.name) == [Self.name])
        #expect(faults.first?.message.hasPrefix("must be one private key in PEM") == true)
    }

    @Test(
        "one key in both places is published once, and warned of", arguments: [PEMFixtures.p256, PEMFixtures.p256SEC1])
    func sameKey(pem: String) throws {
        let both = [Self.name: PEMFixtures.p256, Self.previous: pem + "\n" + PEMFixtures.ed25519]
        let configuration = try Settings.read(both)
        let secret = try keyID(secret: Settings.accessSecret)
        #expect(try ring(both) == [keyID(pem: PEMFixtures.p256), secret, keyID(pem: PEMFixtures.ed25519)])
        #expect(
            configuration.warnings.contains { $0.hasPrefix("\(Self.previous) line 1 is the same key as \(Self.name):") }
        )
    }

    @Test("faults of keys and secrets are told together, and a key that cannot be read is no key that is missing")
    func together() {
        let bad: [String: String?] = [
            Self.name + "_FILE": "/nowhere/key.pem", Self.previous: "Xbad", "JWT_ACCESS_SECRET": nil,
            "JWT_ACCESS_SECRET_PREVIOUS": "Xbad-short", "JWT_REFRESH_SECRET": nil,
        ]
        let faults = Settings.faults(bad)
        #expect(
            faults.map(\.name) == [Self.name, Self.previous, "JWT_ACCESS_SECRET_PREVIOUS", "JWT_REFRESH_SECRET"])
        #expect(!faults.map(\.description).joined().contains("Xbad"))
    }
}
