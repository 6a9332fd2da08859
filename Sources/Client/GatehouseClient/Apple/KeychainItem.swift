#if canImport(Security)
    import Foundation
    import Security

    /// A value in the Keychain that can be read when the device has been unlocked once since it started, and that is in
    /// no backup of another device.
    struct KeychainItem: Sendable {
        let service: String
        let account: String
        let accessGroup: String?

        func load() throws(StoreUnavailable) -> Data? {
            var query = attributes
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            try Self.check(status)
            guard let contents = result as? Data else { throw .unreadable }
            return contents
        }

        func save(_ contents: Data) throws(StoreUnavailable) {
            var status = update(to: contents)
            if status == errSecItemNotFound { status = insert(contents) }
            // Another process has added the item between the two calls.
            if status == errSecDuplicateItem { status = update(to: contents) }
            try Self.check(status)
        }

        /// - Returns: false if there is such an item already, which stays as it is.
        func add(_ contents: Data) throws(StoreUnavailable) -> Bool {
            let status = insert(contents)
            if status == errSecDuplicateItem { return false }
            try Self.check(status)
            return true
        }

        func remove() throws(StoreUnavailable) {
            let status = SecItemDelete(attributes as CFDictionary)
            if status != errSecItemNotFound { try Self.check(status) }
        }

        private var attributes: [String: Any] {
            var attributes: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: account,
                kSecAttrSynchronizable as String: false,
                // Otherwise macOS uses a keychain file, which has neither access groups nor accessibility.
                kSecUseDataProtectionKeychain as String: true,
            ]
            attributes[kSecAttrAccessGroup as String] = accessGroup
            return attributes
        }

        /// An update sets the accessibility as well, because an item keeps the one that it was added with.
        private func value(_ contents: Data) -> [String: Any] {
            [
                kSecValueData as String: contents,
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
        }

        private func update(to contents: Data) -> OSStatus {
            SecItemUpdate(attributes as CFDictionary, value(contents) as CFDictionary)
        }

        private func insert(_ contents: Data) -> OSStatus {
            SecItemAdd(attributes.merging(value(contents)) { $1 } as CFDictionary, nil)
        }

        private static func check(_ status: OSStatus) throws(StoreUnavailable) {
            switch status {
            case errSecSuccess: return
            case errSecInteractionNotAllowed, errSecInteractionRequired, errSecNotAvailable, errSecDataNotAvailable:
                throw .locked
            case errSecMissingEntitlement:
                throw .failed("OSStatus \(status), the program is not signed or lacks the access group")
            default: throw .failed("OSStatus \(status)")
            }
        }
    }
#endif
