import AppleID
import Foundation
import Gatehouse
import GatehouseServer
import GatehouseTokens
import JOSE
import JSON
import TestSupport
import Testing

@Suite("Settings of Apple's server side")
struct AppleServerSettingsTests {
    static let dataKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

    /// The least with which Apple's endpoints are asked.
    static let complete: [String: String?] = [
        "APPLE_TEAM_ID": "DEF123GHIJ", "APPLE_KEY_ID": "ABC123DEFG", "APPLE_PRIVATE_KEY": PEMFixtures.p256,
        "DATA_KEY": dataKey,
    ]

    private func faults(_ changes: [String: String?]) -> [SettingFault] {
        Settings.faults(Self.complete.merging(changes) { $1 })
    }

    @Test("without any of it, Apple's endpoints are not asked and nothing is kept encrypted")
    func nothing() throws {
        let configuration = try Settings.read()
        #expect(configuration.appleServer == nil)
        #expect(AppleEndpoints(configuration) == nil)
        #expect(configuration.vault == nil)
        let apple = configuration.policy.apple
        #expect(apple == ApplePolicy())
        #expect(apple.replayGrace == .seconds(60) && apple.onConsentRevoked == .unlink && !apple.requiresChallenge)
    }

    @Test("with all of it, client secrets are made by that key, under its name, for that team")
    func everything() throws {
        let configuration = try Settings.read(Self.complete)
        let server = try #require(configuration.appleServer)
        #expect(
            server.addresses
                == AppleAddresses(
                    token: "https://appleid.apple.com/auth/token", revocation: "https://appleid.apple.com/auth/revoke"))
        let secret = try CompactJWS(
            server.secrets.secret(for: "com.example.app", now: Timestamp(seconds: 1_760_000_000)))
        #expect(secret.keyID == "ABC123DEFG")
        #expect(try secret.claims()["iss"]?.string == "DEF123GHIJ")
        try secret.verify(with: SigningKey(pem: PEMFixtures.p256, keyID: "ABC123DEFG").verificationKey)
        #expect(AppleEndpoints(configuration) != nil)
    }

    @Test("the three go together: of some, each of the others is missing")
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
        "names are short words, whatever Apple may think of next",
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

    @Test(
        "the key is one of P-256, and a fault says nothing of another",
        arguments: SigningKeyTests.unfit + [PEMFixtures.ed25519])
    func unfitKeys(text: String) throws {
        let faults = faults(["APPLE_PRIVATE_KEY": text])
        #expect(faults.map(\.name) == ["APPLE_PRIVATE_KEY"])
        let message = try #require(faults.first?.message)
        #expect(message == "must be one private key in PEM (PKCS #8), P-256, as it stands in Apple's .p8 file")
    }

    @Test("the key comes from a file or a credential as well, and one that is not there is not missing besides")
    func places() throws {
        let folder = try TemporaryFolder()
        try Data((PEMFixtures.p256 + "\n").utf8).write(to: URL(fileURLWithPath: folder.file("apple_private_key")))
        #expect(faults(["APPLE_PRIVATE_KEY": nil, "CREDENTIALS_DIRECTORY": folder.path]).isEmpty)
        let file = folder.file("apple_private_key")
        #expect(faults(["APPLE_PRIVATE_KEY": nil, "APPLE_PRIVATE_KEY_FILE": file]).isEmpty)
        let faults = faults(["APPLE_PRIVATE_KEY": nil, "APPLE_PRIVATE_KEY_FILE": file + "x"])
        #expect(faults.map(\.name) == ["APPLE_PRIVATE_KEY"])
        #expect(faults.first?.message.hasPrefix("cannot") == true)
    }

    @Test("its addresses are ones that may be fetched from", arguments: ["APPLE_TOKEN_URL", "APPLE_REVOKE_URL"])
    func addresses(name: String) throws {
        let url = "http://127.0.0.1:8444/auth/x"
        let addresses = try #require(try Settings.read(Self.complete.merging([name: url]) { $1 }).appleServer).addresses
        #expect((name == "APPLE_TOKEN_URL" ? addresses.token : addresses.revocation) == url)
        for bad in ["http://appleid.apple.com/auth/x", "https://user:hunter2@example.com/", "ftp://x", "x"] {
            #expect(faults([name: bad]).map(\.name) == [name])
            #expect(Settings.faults([name: bad]).map(\.name) == [name], "with or without a key")
        }
    }

    @Test("what is kept encrypted needs a key as soon as there is something to keep")
    func dataKeyRequired() throws {
        #expect(faults(["DATA_KEY": nil]).map(\.name) == ["DATA_KEY"])
        #expect(faults(["DATA_KEY": nil, "APPLE_TEAM_ID": nil]).map(\.name) == ["APPLE_TEAM_ID", "DATA_KEY"])
        #expect(Settings.faults(["DATA_KEY_PREVIOUS": Self.dataKey]).map(\.name) == ["DATA_KEY"])
        #expect(try Settings.read(["DATA_KEY": Self.dataKey]).vault != nil)
    }

    @Test("a key of the vault is 32 bytes in base64", arguments: ["DATA_KEY", "DATA_KEY_PREVIOUS"])
    func dataKeys(name: String) {
        for good in ["ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=", "4OHi4-Tl5ufo6err7O3u7_Dx8vP09fb3-Pn6-_z9_v8"] {
            #expect(faults([name: good]).isEmpty)
        }
        for bad in ["Xbad", Self.dataKey + "A", String(Self.dataKey.dropLast()), String(repeating: "00", count: 32)] {
            let faults = faults([name: bad])
            #expect(faults.map(\.name) == [name])
            #expect(faults.first?.message == "must be 32 bytes in base64 or base64url")
        }
    }

    @Test("the key before opens what it sealed")
    func dataKeyRotation() throws {
        let (owner, other) = (UserID("user_01"), "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=")
        let before = try #require(try Settings.read(["DATA_KEY": other]).vault)
        let after = try #require(try Settings.read(["DATA_KEY": Self.dataKey, "DATA_KEY_PREVIOUS": other]).vault)
        #expect(after.open(before.seal("x", for: owner), for: owner) == "x")
        #expect(before.open(after.seal("x", for: owner), for: owner) == nil)
    }

    @Test(
        "it is no other secret, in whatever spelling",
        arguments: [
            ("JWT_ACCESS_SECRET", ""), ("JWT_REFRESH_SECRET", ""),
            ("JWT_ACCESS_SECRET_PREVIOUS", ""), ("JWT_REFRESH_SECRET_PREVIOUS", "="),
        ])
    func sharedSecrets(name: String, padding: String) {
        let faults = faults([name: Self.dataKey + padding])
        #expect(faults.count == 1)
        #expect(faults.first?.message.hasPrefix("must differ from ") == true)
        #expect(!faults.map(\.description).joined().contains(Self.dataKey))
    }

    @Test(
        "how a login has to bring its nonce is told to both who ask for it",
        arguments: IdentityTokenPolicy.NonceRule.allCases)
    func nonces(rule: IdentityTokenPolicy.NonceRule) throws {
        let configuration = try Settings.read(["APPLE_NONCE": rule.rawValue])
        #expect(configuration.apple.nonce == rule)
        #expect(configuration.policy.apple.requiresChallenge == (rule == .challenge))
    }

    @Test("the rules of logins and notifications are read")
    func policy() throws {
        for (text, grace) in [("0s", Duration.zero), ("10m", .seconds(600)), ("90s", .seconds(90))] {
            #expect(try Settings.read(["APPLE_REPLAY_GRACE": text]).policy.apple.replayGrace == grace)
        }
        for policy in ConsentPolicy.allCases {
            let read = try Settings.read(["APPLE_ON_CONSENT_REVOKED": policy.rawValue]).policy.apple.onConsentRevoked
            #expect(read == policy)
        }
        for (name, values) in [
            ("APPLE_REPLAY_GRACE", ["601s", "11m", "1d", "-1s", "60"]),
            ("APPLE_ON_CONSENT_REVOKED", ["Keep", "none", "disable"]),
        ] {
            for value in values { #expect(Settings.faults([name: value]).map(\.name) == [name], "\(name)=\(value)") }
        }
    }

    @Test("all faults of it are told at once, among all others, and no secret")
    func together() {
        let bad: [String: String?] = [
            "APPLE_TEAM_ID": "Xbad team", "APPLE_KEY_ID": "Xbad key", "APPLE_PRIVATE_KEY": "Xbad", "DATA_KEY": "Xbad",
            "DATA_KEY_PREVIOUS": "Xbad-older", "APPLE_TOKEN_URL": "Xbad", "APPLE_REVOKE_URL": "Xbad",
            "APPLE_NONCE": "Xbad", "APPLE_REPLAY_GRACE": "Xbad", "APPLE_ON_CONSENT_REVOKED": "Xbad", "WORKERS": "Xbad",
        ]
        let faults = faults(bad)
        #expect(Set(faults.map(\.name)) == Set(bad.keys))
        #expect(faults.count == bad.count, "each is named once")
        #expect(!faults.map(\.description).joined().contains("Xbad"))
    }
}
