import Gatehouse
import GatehouseTokens
import JOSE
import OpenSSL
import Testing

@Suite("The vault")
struct DataVaultTests {
    private static let owner = UserID("user_01")
    private static let secret = "r1a2b3c4.0.mxzs.an-example-of-a-refresh-token"

    private let (key, olderKey): (DataKey, DataKey)
    private let vault: DataVault

    init() throws {
        key = try DataKey([UInt8](0..<32))
        olderKey = try DataKey([UInt8](repeating: 7, count: 32))
        vault = DataVault(key: key)
    }

    @Test(
        "a sealed secret opens for the same owner",
        arguments: [secret, "", "🔑", String(repeating: "x", count: 9999)])
    func roundTrip(secret: String) {
        let sealed = vault.seal(secret, for: Self.owner)
        #expect(vault.open(sealed, for: Self.owner) == secret)
        #expect(DataVault(key: key).open(sealed, for: Self.owner) == secret, "by any process with the key")
        #expect(vault.seal(secret, for: Self.owner) != sealed)
    }

    @Test("a sealed value reveals only the length of the secret")
    func hidden() {
        let sealed = vault.seal(Self.secret, for: Self.owner)
        #expect(sealed.count == Self.secret.utf8.count + 33)
        #expect(!sealed.contains(Array(Self.secret.utf8.prefix(4))))
    }

    @Test(
        "a sealed secret does not open for another owner", arguments: ["user_02", "", "user_0", "user_011", "USER_01"])
    func otherOwners(name: String) {
        #expect(vault.open(vault.seal(Self.secret, for: Self.owner), for: UserID(name)) == nil)
    }

    @Test("a sealed value with any one bit flipped, or that is shorter or longer, does not open")
    func everyBitCounts() {
        let sealed = vault.seal(Self.secret, for: Self.owner)
        for count in 0..<sealed.count { #expect(vault.open(Array(sealed.prefix(count)), for: Self.owner) == nil) }
        #expect(vault.open(sealed + [0], for: Self.owner) == nil)
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(vault.open(changed, for: Self.owner) == nil, "bit \(bit)")
        }
    }

    @Test("a previous key opens what it sealed and seals no new values")
    func rotation() {
        let old = DataVault(key: olderKey).seal(Self.secret, for: Self.owner)
        let during = DataVault(key: key, previous: [olderKey])
        #expect(during.open(old, for: Self.owner) == Self.secret)
        let new = during.seal(Self.secret, for: Self.owner)
        #expect(during.open(new, for: Self.owner) == Self.secret)
        #expect(vault.open(new, for: Self.owner) == Self.secret)
        #expect(vault.open(old, for: Self.owner) == nil)
        #expect(DataVault(key: olderKey).open(new, for: Self.owner) == nil)
    }

    @Test("the key id in the head is authenticated with the sealed value")
    func keyIDs() throws {
        let during = DataVault(key: key, previous: [olderKey])
        let (new, old) = (
            during.seal(Self.secret, for: Self.owner), DataVault(key: olderKey).seal(Self.secret, for: Self.owner)
        )
        #expect(new[1..<5] != old[1..<5])
        #expect(during.open(Array(old.prefix(5) + new.dropFirst(5)), for: Self.owner) == nil)
        // The id is not a plain hash of the key, which could be compared with hashes of guessed keys.
        #expect(Array(new[1..<5]) != Array(SHA256.hash([UInt8](0..<32)).prefix(4)))
    }

    @Test("a value sealed without the head, or that is not UTF-8, does not open")
    func foreignContent() throws {
        let cipher = try AES256GCMKey([UInt8](0..<32))
        let head = Array(vault.seal("", for: Self.owner).prefix(5))
        let owner = Array(Self.owner.text.utf8)
        let valid = head + cipher.seal(Array("x".utf8), with: head + owner)
        #expect(vault.open(valid, for: Self.owner) == "x")
        #expect(vault.open(head + cipher.seal(Array("x".utf8), with: owner), for: Self.owner) == nil)
        #expect(vault.open(head + cipher.seal([0xC0, 0xAF], with: head + owner), for: Self.owner) == nil)
    }

    @Test("a key is given in base64 or base64url, padded or not")
    func encodings() throws {
        let bytes = [UInt8](repeating: 0xFB, count: 32)
        let url = Base64URL.encode(bytes)
        let plain = url.replacing("-", with: "+").replacing("_", with: "/")
        #expect(url != plain)
        for text in [url, url + "=", plain, plain + "="] { #expect(DataKey.bytes(written: text) == bytes) }
        #expect(DataKey.bytes(written: plain) != nil)
    }

    @Test(
        "any other text is not a key",
        arguments: [
            "", "=", String(repeating: "A", count: 42), String(repeating: "A", count: 44),
            String(repeating: "A", count: 43) + "==", "=" + String(repeating: "A", count: 43),
            String(repeating: "A", count: 42) + "B", String(repeating: "A", count: 42) + " ",
            String(repeating: "00", count: 32), " " + String(repeating: "A", count: 43),
            String(repeating: "A", count: 22),
        ])
    func otherTexts(text: String) {
        #expect(DataKey.bytes(written: text) == nil)
    }
}
