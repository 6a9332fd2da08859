// Runs KeychainDeviceKeys with the stubs of the Keychain and the Secure Enclave.
import CryptoKit
import Foundation
import GatehouseClient
import Security

@main
struct Program {
    static let sessions = KeychainSessionStore(service: "s", accessGroup: "g")

    static func main() throws {
        guard let keys = sessions.deviceKeys else { return expect(false, "the store of the session has keys") }
        try keepsKeys(keys)
        try otherEnclave(keys)
        try failures(keys)
        expect(keys.sha256(Data()) == Data(0..<32), "the hash is CryptoKit's")
        StubEnclave.isAvailable = false
        StubKeychain.items = []
        try keepsKeys(keys)
        StubKeychain.items[0][kSecValueData] = Data([2, 1, 2])
        expect(failure { _ = try keys.key("a") } == .unreadable, "a damaged key is lost")
    }

    static func keepsKeys(_ keys: any DeviceKeyStore) throws {
        try expect(keys.key("a") == nil, "there is no key at first")
        let key = try keys.makeKey("a")
        let signature = try key.signature(for: Data("m".utf8))
        expect(key.publicKey.count == 64 && signature.count == 64, "a point and a signature of 64 bytes")
        try expect(keys.key("a")?.publicKey == key.publicKey, "a key is found again")
        try expect(keys.key("a")?.signature(for: Data("m".utf8)) == signature, "and signs")
        try expect(keys.makeKey("a").publicKey == key.publicKey, "a key that another process made stays")
        let item = StubKeychain.items[0]
        expect(item[kSecAttrAccessible] as? String == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "accessibility")
        expect(item[kSecAttrAccessGroup] as? String == "g" && item[kSecAttrService] as? String == "s.keys", "names")

        _ = try keys.makeKey("b")
        try sessions.save(Data("session".utf8))
        try keys.deleteKey("b")
        try keys.deleteKey("b")
        try expect(keys.key("b") == nil && keys.key("a") != nil, "one key is deleted, and may be deleted again")
        try expect(sessions.load() == Data("session".utf8), "the session is another item")
    }

    static func otherEnclave(_ keys: any DeviceKeyStore) throws {
        let control = StubEnclave.accessControl
        expect(control?.stubProtection == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "usable in the background")
        expect(control?.stubFlags == .privateKeyUsage, "the private key signs")
        guard let key = try keys.key("a") else { return expect(false, "the key is there") }
        StubEnclave.failures = 1
        try expect(key.signature(for: Data()).count == 64, "a key that fails once is used again")
        StubEnclave.failures = 1
        try expect(keys.key("a")?.publicKey == key.publicKey, "also where it is found")
        StubEnclave.number = 0
        for failed in [failure { _ = try key.signature(for: Data()) }, failure { _ = try keys.key("a") }] {
            guard case .failed = failed else { return expect(false, "an enclave that does not answer loses no key") }
        }
        StubEnclave.number = 2
        expect(failure { _ = try key.signature(for: Data()) } == .unreadable, "a key of another enclave is lost")
        expect(failure { _ = try keys.key("a") } == .unreadable, "also where it is found out at once")
        StubEnclave.number = 1
    }

    static func failures(_ keys: any DeviceKeyStore) throws {
        for (status, reason) in [
            (errSecInteractionNotAllowed, StoreUnavailable.locked), (-50, .failed("OSStatus -50")),
        ] {
            StubKeychain.nextResults = [status, status, status]
            expect(failure { _ = try keys.key("a") } == reason, "find: \(status)")
            expect(failure { _ = try keys.makeKey("c") } == reason, "make: \(status)")
            expect(failure { try keys.deleteKey("a") } == reason, "delete: \(status)")
        }
        try expect(keys.key("a") != nil, "a failure changes nothing")
    }
}
