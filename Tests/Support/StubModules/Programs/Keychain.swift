// Runs KeychainSessionStore with the stub of the Keychain.
import Foundation
import GatehouseClient
import Security

@main
struct Program {
    static func main() throws {
        let store = KeychainSessionStore(service: "s", accessGroup: "g")
        let (first, second) = (Data("first".utf8), Data("second".utf8))

        try expect(store.load() == nil, "without an item there is no session")
        try store.save(first)
        try expect(store.load() == first, "an item is added")
        let item = StubKeychain.items.first ?? [:]
        expect(item[kSecAttrAccessible] as? String == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "accessibility")
        expect(item[kSecAttrSynchronizable] as? Bool == false, "an item is not in iCloud")
        expect(item[kSecUseDataProtectionKeychain] as? Bool == true, "the data protection keychain")
        expect(item[kSecAttrAccessGroup] as? String == "g" && item[kSecAttrService] as? String == "s", "names")

        StubKeychain.items[0][kSecAttrAccessible] = "other"
        try store.save(second)
        try expect(store.load() == second, "an item is updated")
        let accessibility = StubKeychain.items.first?[kSecAttrAccessible] as? String
        expect(accessibility == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "an update repairs the accessibility")

        // Not there at the update, there at the addition.
        StubKeychain.nextResults = [errSecItemNotFound]
        try store.save(first)
        try expect(store.load() == first, "an item that an extension added between the calls is replaced")

        for (status, expected) in [
            (errSecInteractionNotAllowed, StoreUnavailable.locked), (errSecNotAvailable, .locked),
            (-25243, .failed("OSStatus -25243")),
            (-34018, .failed("OSStatus -34018, the program is not signed or lacks the access group")),
        ] {
            StubKeychain.nextResults = [status, status, status]
            expect(failure { _ = try store.load() } == expected, "load: \(status)")
            expect(failure { try store.save(second) } == expected, "save: \(status)")
            expect(failure { try store.save(nil) } == expected, "remove: \(status)")
        }
        try expect(store.load() == first, "a failure changes nothing")

        try store.save(nil)
        try store.save(nil)
        try expect(store.load() == nil && StubKeychain.items.isEmpty, "an item is removed, and may be removed again")
    }
}
