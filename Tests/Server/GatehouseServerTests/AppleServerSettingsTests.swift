import Foundation
import Gatehouse
import GatehouseServer
import GatehouseTokens
import IdentityProviders
import JOSE
import JSON
import TestSupport
import Testing

@Suite("Settings for Apple's endpoints")
struct AppleServerSettingsTests {
    static let dataKey = "EIYk4Hap3db0PQ1sKREQ6z87uAL0AE6_lAihPZEolxM"

    /// The settings that requests to Apple's endpoints need.
    static let complete: [String: String?] = [
        "APPLE_TEAM_ID": "DEF123GHIJ", "APPLE_KEY_ID": "ABC123DEFG", "APPLE_PRIVATE_KEY": PEMFixtures.p256,
        "DATA_KEY": dataKey,
    ]

    private func faults(_ changes: [String: String?]) -> [SettingFault] {
        TestConfiguration.faults(Self.complete.merging(changes) { $1 })
    }

    @Test("without these settings, no request goes to Apple's endpoints and no data is encrypted")
    func nothing() throws {
        let configuration = try TestConfiguration.read()
        #expect(configuration.appleServer == nil)
        #expect(AppleEndpoints(configuration) == nil)
        #expect(configuration.vault == nil)
        #expect(configuration.appleReplayGrace == .seconds(60) && configuration.apple.nonce == .optional)
        #expect(configuration.policy.apple.onConsentRevoked == .unlink)
    }

    @Test("with all of them, client secrets have the team, the key ID and the signature of the key")
    func everything() throws {
        let configuration = try TestConfiguration.read(Self.complete)
        let server = try #require(configuration.appleServer)
        #expect(
            server.addresses
                == AppleAddresses(
                    token: "https://appleid.apple.com/auth/token", revocation: "https://appleid.apple.com/auth/revoke",
                    migration: "https://appleid.apple.com/auth/usermigrationinfo"))
        let secret = try CompactJWS(
            server.secrets.secret(for: "com.example.app", now: Timestamp(seconds: 1_760_000_000)))
        #expect(secret.keyID == "ABC123DEFG")
        #expect(try secret.claims()["iss"]?.string == "DEF123GHIJ")
        try secret.verify(with: SigningKey(pem: PEMFixtures.p256, keyID: "ABC123DEFG").verificationKey)
        #expect(AppleEndpoints(configuration) != nil)
    }

    @Test("if one of the three is set, each of the others is missing")
    func allOrNone() {
        let names = ["APPLE_TEAM_ID", "APPLE_KEY_ID", "APPLE_PRIVATE_KEY"]
        for present in 1...6 {
            let missing = names.enumerated().filter { present >> $0.offset & 1 == 0 }.map(\.element)
            let faults = faults(Dictionary(uniqueKeysWithValues: missing.map { ($0, String?.none) }))
            #expect(faults.map(\.name) == missing)
            #expect(faults.allSatisfy { $0.message.hasPrefix("is missing") })
        }
    }

    @Test(
        "team and key IDs are at most 64 letters, digits and underscores",
        arguments: [
            ("ABC123DEFG", true), ("a", true), ("team_1", true), (String(repeating: "A", count: 64), true),
            (String(repeating: "A", count: 65), false), ("ABC 123", false), ("ABC-123", false), ("ABC123\n", false),
            ("ÄBC123DEFG", false), ("\"", false),
        ])
    func identifiers(text: String, isGood: Bool) {
        for name in ["APPLE_TEAM_ID", "APPLE_KEY_ID"] {
            #expect(faults([name: text]).map(\.name) == (isGood ? [] : [name]))
        }
    }

    @Test("the key is a P-256 key, and a fault does not contain the value; one that cannot be read is one fault")
    func unfitKeys() {
        let message = "must be one private key in PEM (PKCS #8), P-256, as in Apple's .p8 file"
        for text in SigningKeyTests.unfit + [PEMFixtures.ed25519] {
            let found = faults(["APPLE_PRIVATE_KEY": text]).map(\.description)
            #expect(found == ["APPLE_PRIVATE_KEY " + message], "\(text)")
        }
        let unreadable = faults(["APPLE_PRIVATE_KEY": nil, "APPLE_PRIVATE_KEY_FILE": "/nowhere/key.p8"])
        #expect(unreadable.map(\.name) == ["APPLE_PRIVATE_KEY"])
    }

    @Test(
        "the addresses of Apple's endpoints are https, or http of this machine",
        arguments: ["APPLE_TOKEN_URL", "APPLE_REVOKE_URL", "APPLE_MIGRATION_URL"])
    func addresses(name: String) throws {
        let url = "http://127.0.0.1:8444/auth/x"
        let addresses = try #require(try TestConfiguration.read(Self.complete.merging([name: url]) { $1 }).appleServer)
            .addresses
        let all = [
            "APPLE_TOKEN_URL": addresses.token, "APPLE_REVOKE_URL": addresses.revocation,
            "APPLE_MIGRATION_URL": addresses.migration,
        ]
        #expect(all.filter { $0.value == url }.map(\.key) == [name])
        for bad in ["http://appleid.apple.com/auth/x", "https://user:hunter2@example.com/", "ftp://x", "x"] {
            #expect(faults([name: bad]).map(\.name) == [name])
            #expect(TestConfiguration.faults([name: bad]).map(\.name) == [name], "with or without a key")
        }
    }

    @Test("DATA_KEY is required with Apple's credentials and with DATA_KEY_PREVIOUS")
    func dataKeyRequired() throws {
        #expect(faults(["DATA_KEY": nil]).map(\.name) == ["DATA_KEY"])
        #expect(faults(["DATA_KEY": nil, "APPLE_TEAM_ID": nil]).map(\.name) == ["APPLE_TEAM_ID", "DATA_KEY"])
        #expect(TestConfiguration.faults(["DATA_KEY_PREVIOUS": Self.dataKey]).map(\.name) == ["DATA_KEY"])
        #expect(try TestConfiguration.read(["DATA_KEY": Self.dataKey]).vault != nil)
    }

    @Test("the nonce rule, replay grace and consent policy are read")
    func policy() throws {
        for rule in TokenRules.NonceRule.ofApple {
            #expect(try TestConfiguration.read(["APPLE_NONCE": rule.rawValue]).apple.nonce == rule)
        }
        for (text, grace) in [("0s", Duration.zero), ("10m", .seconds(600)), ("90s", .seconds(90))] {
            #expect(try TestConfiguration.read(["APPLE_REPLAY_GRACE": text]).appleReplayGrace == grace)
        }
        for policy in ConsentPolicy.allCases {
            let read = try TestConfiguration.read(["APPLE_ON_CONSENT_REVOKED": policy.rawValue]).policy.apple
                .onConsentRevoked
            #expect(read == policy)
        }
        for (name, values) in [
            ("APPLE_REPLAY_GRACE", ["601s", "11m", "1d", "-1s", "60"]),
            ("APPLE_ON_CONSENT_REVOKED", ["Keep", "none", "disable"]),
        ] {
            for value in values {
                #expect(TestConfiguration.faults([name: value]).map(\.name) == [name], "\(name)=\(value)")
            }
        }
    }
}
