// What the sources and the documentation use of Apple's Security, with a Keychain of one item. Core Foundation's types are
// Swift's here, because Linux does not bridge them.
import Foundation

public typealias OSStatus = Int32
public typealias CFTypeRef = AnyObject
public typealias CFString = String
public typealias CFDictionary = [String: Any]

public let kSecClass: CFString = "kSecClass"
public let kSecClassGenericPassword: CFString = "kSecClassGenericPassword"
public let kSecAttrService: CFString = "kSecAttrService"
public let kSecAttrAccount: CFString = "kSecAttrAccount"
public let kSecAttrAccessGroup: CFString = "kSecAttrAccessGroup"
public let kSecAttrSynchronizable: CFString = "kSecAttrSynchronizable"
public let kSecAttrAccessible: CFString = "kSecAttrAccessible"
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString =
    "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly"
public let kSecUseDataProtectionKeychain: CFString = "kSecUseDataProtectionKeychain"
public let kSecMatchLimit: CFString = "kSecMatchLimit"
public let kSecMatchLimitOne: CFString = "kSecMatchLimitOne"
public let kSecReturnData: CFString = "kSecReturnData"
public let kSecValueData: CFString = "kSecValueData"

public var errSecSuccess: OSStatus { 0 }
public var errSecDuplicateItem: OSStatus { -25299 }
public var errSecItemNotFound: OSStatus { -25300 }
public var errSecNotAvailable: OSStatus { -25291 }
public var errSecInteractionNotAllowed: OSStatus { -25308 }
public var errSecInteractionRequired: OSStatus { -25315 }
public var errSecDataNotAvailable: OSStatus { -25316 }
public var errSecMissingEntitlement: OSStatus { -34018 }

public enum StubKeychain {
    nonisolated(unsafe) public static var item: CFDictionary?
    /// The results of the next calls, which then do nothing.
    nonisolated(unsafe) public static var nextResults: [OSStatus] = []

    static func call(_ needsItem: Bool, _ query: CFDictionary, _ body: () -> Void) -> OSStatus {
        if !nextResults.isEmpty { return nextResults.removeFirst() }
        guard needsItem == (item != nil) else { return needsItem ? errSecItemNotFound : errSecDuplicateItem }
        if needsItem, !isFound(by: query) { return errSecItemNotFound }
        body()
        return errSecSuccess
    }

    private static func isFound(by query: CFDictionary) -> Bool {
        [kSecClass, kSecAttrService, kSecAttrAccount, kSecAttrAccessGroup].allSatisfy {
            query[$0] == nil || query[$0] as? String == item?[$0] as? String
        }
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    StubKeychain.call(false, attributes) { StubKeychain.item = attributes }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    StubKeychain.call(true, query) { StubKeychain.item?.merge(attributesToUpdate) { $1 } }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    StubKeychain.call(true, query) { result?.pointee = StubKeychain.item?[kSecValueData].map { $0 as AnyObject } }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    StubKeychain.call(true, query) { StubKeychain.item = nil }
}
