// What the sources and the documentation use of Apple's Security, with a Keychain in memory. Core Foundation's types are
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

public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
}

public final class SecAccessControl: Sendable {
    public let stubProtection: CFString
    public let stubFlags: SecAccessControlCreateFlags

    init(_ protection: CFString, _ flags: SecAccessControlCreateFlags) {
        (stubProtection, stubFlags) = (protection, flags)
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecAccessControlCreateWithFlags(
    _ allocator: CFTypeRef?, _ protection: CFString, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<CFTypeRef?>?
) -> SecAccessControl? {
    SecAccessControl(protection, flags)
}

public enum StubKeychain {
    nonisolated(unsafe) public static var items: [CFDictionary] = []
    /// The results of the next calls, which then do nothing.
    nonisolated(unsafe) public static var nextResults: [OSStatus] = []

    /// - Parameter body: gets the index of the item, or nil.
    static func call(_ query: CFDictionary, _ body: (Int?) -> OSStatus) -> OSStatus {
        if !nextResults.isEmpty { return nextResults.removeFirst() }
        return body(items.firstIndex { isFound($0, by: query) })
    }

    static func change(_ query: CFDictionary, _ body: (Int) -> Void) -> OSStatus {
        call(query) { index in
            guard let index else { return errSecItemNotFound }
            body(index)
            return errSecSuccess
        }
    }

    private static func isFound(_ item: CFDictionary, by query: CFDictionary) -> Bool {
        [kSecClass, kSecAttrService, kSecAttrAccount, kSecAttrAccessGroup].allSatisfy {
            query[$0] == nil || query[$0] as? String == item[$0] as? String
        }
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    StubKeychain.call(attributes) { index in
        guard index == nil else { return errSecDuplicateItem }
        StubKeychain.items.append(attributes)
        return errSecSuccess
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    StubKeychain.change(query) { StubKeychain.items[$0].merge(attributesToUpdate) { $1 } }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    StubKeychain.change(query) { result?.pointee = StubKeychain.items[$0][kSecValueData].map { $0 as AnyObject } }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    StubKeychain.change(query) { StubKeychain.items.remove(at: $0) }
}
