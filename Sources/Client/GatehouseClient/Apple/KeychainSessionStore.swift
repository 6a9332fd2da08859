#if canImport(Security)
    import Foundation
    import Security

    /// One item of the Keychain, which holds the session of an app and its extensions.
    ///
    /// The item can be read when the device has been unlocked once since it started, also in the background. It stays
    /// on this device and is in no backup of another one: when two devices refresh the same session, it ends on both.
    ///
    /// iOS keeps the item when the app is deleted. To start signed out after a reinstallation, call `signOut()` at the
    /// first start. Decide that it is the first start only after `restore()` has succeeded, because `UserDefaults` are
    /// empty before the first unlock of the device.
    ///
    /// `OSStatus -34018` means that an entitlement is missing: sign the program, with the capability *Keychain Sharing*
    /// if it gives an access group. On macOS, each program that uses this store needs that capability.
    public struct KeychainSessionStore: SessionStore {
        private let item: KeychainItem

        /// - Parameters:
        ///   - service: apps that use several servers have one name for each.
        ///   - accessGroup: the app and its extensions share the session if all give the same group, such as
        ///     `TEAMID.com.example.shared`. Without one, an item is added to the app's first group.
        public init(service: String = "gatehouse", account: String = "session", accessGroup: String? = nil) {
            item = KeychainItem(service: service, account: account, accessGroup: accessGroup)
        }

        public func load() throws(StoreUnavailable) -> Data? { try item.load() }

        public func save(_ contents: Data?) throws(StoreUnavailable) {
            guard let contents else { return try item.remove() }
            try item.save(contents)
        }

        #if canImport(CryptoKit)
            /// Keys of the Secure Enclave, or where there is none, of CryptoKit. They are items of the same access group.
            public var deviceKeys: (any DeviceKeyStore)? {
                KeychainDeviceKeys(service: item.service + ".keys", accessGroup: item.accessGroup)
            }
        #endif
    }
#endif
