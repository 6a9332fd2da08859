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
        "what was sealed for somebody is opened for them",
        arguments: [secret, "", "🔑", String(repeating: "x", count: 9999)])
    func roundTrip(secret: String) {
        let sealed = vault.seal(secret, for: Self.owner)
        #expect(vault.open(sealed, for: Self.owner) == secret)
        #expect(DataVault(key: key).open(sealed, for: Self.owner) == secret, "by any process with the key")
        #expect(vault.seal(secret, for: Self.owner) != sealed)
    }

    @Test("nothing of the secret shows but its length")
    func hidden() {
        let sealed = vault.seal(Self.secret, for: Self.owner)
        #expect(sealed.count == Self.secret.utf8.count + 33)
        #expect(!sealed.contains(Array(Self.secret.utf8.prefix(4))))
    }

    @Test("for anybody else it stays closed", arguments: ["user_02", "", "user_0", "user_011", "USER_01"])
    func otherOwners(name: String) {
        #expect(vault.open(vault.seal(Self.secret, for: Self.owner), for: UserID(name)) == nil)
    }

    @Test("with any one bit turned it stays closed")
    func everyBitCounts() {
        let sealed = vault.seal(Self.secret, for: Self.owner)
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(vault.open(changed, for: Self.owner) == nil, "bit \(bit)")
        }
    }

    @Test("cut short or continued it stays closed")
    func lengths() {
        let sealed = vault.seal(Self.secret, for: Self.owner)
        for count in 0..<sealed.count { #expect(vault.open(Array(sealed.prefix(count)), for: Self.owner) == nil) }
        #expect(vault.open(sealed + [0], for: Self.owner) == nil)
    }

    @Test("the key before opens what it sealed, and seals no more")
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

    @Test("the mark that names a key is bound to what the key has sealed")
    func marks() throws {
        let during = DataVault(key: key, previous: [olderKey])
        let (new, old) = (
            during.seal(Self.secret, for: Self.owner), DataVault(key: olderKey).seal(Self.secret, for: Self.owner)
        )
        #expect(new[1..<5] != old[1..<5])
        #expect(during.open(Array(old.prefix(5) + new.dropFirst(5)), for: Self.owner) == nil)
        // Nor does it give the key away to who can hash.
        #expect(Array(new[1..<5]) != Array(SHA256.hash([UInt8](0..<32)).prefix(4)))
    }

    @Test("what was sealed without the head, or is no text, is no secret")
    func foreignContent() throws {
        let cipher = try AES256GCMKey([UInt8](0..<32))
        let head = Array(vault.seal("", for: Self.owner).prefix(5))
        let owner = Array(Self.owner.text.utf8)
        let genuine = head + cipher.seal(Array("x".utf8), with: head + owner)
        #expect(vault.open(genuine, for: Self.owner) == "x")
        #expect(vault.open(head + cipher.seal(Array("x".utf8), with: owner), for: Self.owner) == nil)
        #expect(vault.open(head + cipher.seal([0xC0, 0xAF], with: head + owner), for: Self.owner) == nil)
    }

    @Test("a key is written in base64 or base64url, padded or not")
    func spellings() throws {
        let bytes = [UInt8](repeating: 0xFB, count: 32)
        let url = Base64URL.encode(bytes)
        let plain = url.replacing("-", with: "+").replacing("_", with: "/")
        #expect(url != plain)
        for text in [url, url + "=", plain, plain + "="] { #expect(DataKey.bytes(written: text) == bytes) }
        #expect(DataKey.bytes(written: plain) != nil)
    }

    @Test(
        "any other text is no key",
        arguments: [
            "", "=", String(repeating: "A", count: 42), String(repeating: "A", count: 44),
            String(repeating: "A", count: 43) + "==",
            "=" + String(repeating: "A", count: 43), String(repeating: "A", count: 42) + "B",
            String(repeating: "A", count: 42) + " ",
            String(repeating: "00", count: 32), " " + String(repeating: "A", count: 43),
            String(repeating: "A", count: 22),
        ])
    func noKeys(text: String) {
        #expect(DataKey.bytes(written: text) == nil)
        #expect(DataKey.bytes(written: text) == nil)
    }
}
