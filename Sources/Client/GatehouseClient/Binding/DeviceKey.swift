import Foundation

/// A key pair of this device on the curve P-256, which signs with ECDSA and SHA-256 (ES256).
///
/// A session that is bound to it cannot be used on another device, so the private key must be in no backup of another
/// device and in no synchronisation. Best, it cannot be read at all, as in the Secure Enclave.
public protocol DeviceKey: Sendable {
    /// The public key: the coordinates x and y, 32 bytes each.
    var publicKey: Data { get }

    /// The signature of the message: R and S, 32 bytes each. The client calls it on no actor, because it may take some
    /// milliseconds.
    ///
    /// Throws ``StoreUnavailable/unreadable`` only if the key can never sign again: that ends the session.
    func signature(for message: Data) throws(StoreUnavailable) -> Data
}

/// Where the client keeps the keys that sessions are bound to.
///
/// Processes that share a ``SessionStore`` need the same keys. The client names each key in the session store before
/// it makes it, so that no key is left over when a process is killed.
public protocol DeviceKeyStore: Sendable {
    /// Makes and keeps a key. If another process has already made a key of this name, returns that key.
    func makeKey(_ name: String) throws(StoreUnavailable) -> any DeviceKey

    /// Nil if there is no key of this name. That, and ``StoreUnavailable/unreadable``, ends the session; any other
    /// error does not, such as on a device that has not been unlocked yet.
    func key(_ name: String) throws(StoreUnavailable) -> (any DeviceKey)?

    /// Succeeds also if there is no key of this name.
    func deleteKey(_ name: String) throws(StoreUnavailable)

    /// The SHA-256 hash of the data. On Apple's platforms, CryptoKit is the default.
    func sha256(_ data: Data) -> Data
}

/// Whether a login binds its session to a key of this device (RFC 9449, DPoP): stolen tokens are then worth nothing
/// elsewhere.
public struct SessionBinding: Sendable {
    let keys: (any DeviceKeyStore)?
    let bindsLogins: Bool

    /// With the keys that belong to the session store: ``KeychainSessionStore`` has some. With a store that has none,
    /// sessions are not bound.
    public static let automatic = SessionBinding(keys: nil, bindsLogins: true)

    /// Logins do not bind their sessions. A session that is bound stays so, and keeps its key.
    public static let off = SessionBinding(keys: nil, bindsLogins: false)

    /// With these keys.
    ///
    /// - Parameter bindsLogins: false is ``off`` for an app that has bound sessions to these keys before.
    public static func keys(_ keys: any DeviceKeyStore, bindsLogins: Bool = true) -> SessionBinding {
        SessionBinding(keys: keys, bindsLogins: bindsLogins)
    }
}
