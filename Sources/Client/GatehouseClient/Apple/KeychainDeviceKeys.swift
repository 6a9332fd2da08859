#if canImport(CryptoKit) && canImport(Security)
    import CryptoKit
    import Foundation
    import Security

    extension DeviceKeyStore {
        public func sha256(_ data: Data) -> Data { Data(SHA256.hash(data: data)) }
    }

    /// Keys of the Secure Enclave, which cannot be read, and cannot be used on another device. On a device without one,
    /// keys of CryptoKit.
    ///
    /// The Keychain holds a reference to a key of the enclave, or the private key of CryptoKit. An item can be used when
    /// the device has been unlocked once since it started, stays on this device and is in no backup of another one.
    public struct KeychainDeviceKeys: DeviceKeyStore {
        private let service: String
        private let accessGroup: String?

        /// - Parameter accessGroup: the one of the session store, so that extensions of the app find the keys.
        public init(service: String = "gatehouse.keys", accessGroup: String? = nil) {
            (self.service, self.accessGroup) = (service, accessGroup)
        }

        public func makeKey(_ name: String) throws(StoreUnavailable) -> any DeviceKey {
            let (contents, key) = try SecureEnclave.isAvailable ? EnclaveKey.make() : SoftwareKey.make()
            if try item(name).add(contents) { return key }
            guard let existing = try self.key(name) else { throw .failed("the key was deleted as it was made") }
            return existing
        }

        public func key(_ name: String) throws(StoreUnavailable) -> (any DeviceKey)? {
            guard let contents = try item(name).load() else { return nil }
            switch contents.first.flatMap(Kind.init) {
            case .enclave: return try EnclaveKey(reference: contents.dropFirst())
            case .software: return try SoftwareKey(privateKey: contents.dropFirst())
            case nil: throw .unreadable
            }
        }

        public func deleteKey(_ name: String) throws(StoreUnavailable) { try item(name).remove() }

        private func item(_ name: String) -> KeychainItem {
            KeychainItem(service: service, account: name, accessGroup: accessGroup)
        }
    }

    /// The first byte of an item.
    private enum Kind: UInt8 {
        case enclave = 1
        case software = 2

        func item(_ contents: Data) -> Data { [rawValue] + contents }
    }

    /// Unchecked: the key is an immutable reference to the enclave; not every SDK declares it to be Sendable.
    private struct EnclaveKey: DeviceKey, @unchecked Sendable {
        private let key: SecureEnclave.P256.Signing.PrivateKey

        static func make() throws(StoreUnavailable) -> (contents: Data, key: any DeviceKey) {
            do {
                let key = try makeInEnclave()
                return (Kind.enclave.item(key.dataRepresentation), EnclaveKey(key: key))
            } catch {
                throw .failed("the Secure Enclave makes no key, \(StoreUnavailable.code(of: error))")
            }
        }

        init(reference: Data) throws(StoreUnavailable) {
            do {
                key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(reference))
            } catch {
                key = try Self.secondAttempt(Data(reference), Data()).key
            }
        }

        private init(key: SecureEnclave.P256.Signing.PrivateKey) { self.key = key }

        var publicKey: Data { key.publicKey.rawRepresentation }

        func signature(for message: Data) throws(StoreUnavailable) -> Data {
            do {
                return try key.signature(for: message).rawRepresentation
            } catch {
                return try Self.secondAttempt(key.dataRepresentation, message).signature
            }
        }

        /// The default of CryptoKit allows no use of the key while the device is locked, such as in the background.
        private static func makeInEnclave() throws -> SecureEnclave.P256.Signing.PrivateKey {
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
            guard let control else { throw StoreUnavailable.failed("no access control") }
            return try SecureEnclave.P256.Signing.PrivateKey(accessControl: control)
        }

        /// Apple documents no error for a key that belongs to another enclave, or to this enclave before the device
        /// was erased. If the enclave can make a new key and sign with the new key, but still not with the stored key,
        /// the stored key is lost; otherwise the stored key may work later.
        private static func secondAttempt(
            _ reference: Data, _ message: Data
        ) throws(StoreUnavailable) -> (key: SecureEnclave.P256.Signing.PrivateKey, signature: Data) {
            do {
                _ = try makeInEnclave().signature(for: Data())
            } catch {
                throw .failed("the Secure Enclave does not sign, \(StoreUnavailable.code(of: error))")
            }
            do {
                let key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: reference)
                return (key, try key.signature(for: message).rawRepresentation)
            } catch {
                throw .unreadable
            }
        }
    }

    private struct SoftwareKey: DeviceKey {
        private let key: P256.Signing.PrivateKey

        static func make() -> (contents: Data, key: any DeviceKey) {
            let key = P256.Signing.PrivateKey()
            return (Kind.software.item(key.rawRepresentation), SoftwareKey(key: key))
        }

        init(privateKey: Data) throws(StoreUnavailable) {
            do {
                key = try P256.Signing.PrivateKey(rawRepresentation: Data(privateKey))
            } catch {
                throw .unreadable
            }
        }

        private init(key: P256.Signing.PrivateKey) { self.key = key }

        var publicKey: Data { key.publicKey.rawRepresentation }

        func signature(for message: Data) throws(StoreUnavailable) -> Data {
            do {
                return try key.signature(for: message).rawRepresentation
            } catch {
                throw .failed("CryptoKit does not sign, \(StoreUnavailable.code(of: error))")
            }
        }
    }

    extension StoreUnavailable {
        fileprivate static func code(of error: any Error) -> String {
            let error = error as NSError
            return "\(error.domain) \(error.code)"
        }
    }
#endif
