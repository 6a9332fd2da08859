import Foundation
import GatehouseClient
import OpenSSL
import Synchronization

/// Keys of OpenSSL, as a program on Linux gives them to the library. They outlive the client, as in a Keychain, and fail
/// when a test wants it.
final class TestDeviceKeys: DeviceKeyStore {
    private struct State {
        var keys: [String: P256PrivateKey] = [:]
        var failure: StoreUnavailable?
        var signingFailure: StoreUnavailable?
        var deletionFailure: StoreUnavailable?
        var missedReads = 0
        var made = 0
        var isOnMainThread = false
    }

    private struct Key: DeviceKey {
        let key: P256PrivateKey
        let store: TestDeviceKeys

        var publicKey: Data { Data(key.publicKey.x + key.publicKey.y) }

        func signature(for message: Data) throws(StoreUnavailable) -> Data {
            let failure = store.state.withLock { state in
                if Thread.isMainThread { state.isOnMainThread = true }
                return state.signingFailure
            }
            if let failure { throw failure }
            do { return Data(try key.sign(Array(message))) } catch { throw .failed("\(error)") }
        }
    }

    private let state = Mutex(State())

    /// The names of the keys that there are.
    var names: Set<String> { state.withLock { Set($0.keys.keys) } }
    /// Number of keys that have been made.
    var made: Int { state.withLock { $0.made } }
    var hasSignedOnMainThread: Bool { state.withLock { $0.isOnMainThread } }

    func fail(_ failure: StoreUnavailable?) { state.withLock { $0.failure = failure } }
    func failToSign(_ failure: StoreUnavailable?) { state.withLock { $0.signingFailure = failure } }
    func failToDelete(_ failure: StoreUnavailable?) { state.withLock { $0.deletionFailure = failure } }

    /// As on another device, where the keys are not.
    func loseAll() { state.withLock { $0.keys = [:] } }

    /// The next read finds no key.
    func missNextRead() { state.withLock { $0.missedReads = 1 } }

    func makeKey(_ name: String) throws(StoreUnavailable) -> any DeviceKey {
        try access { state throws(StoreUnavailable) in
            if let key = state.keys[name] { return Key(key: key, store: self) }
            do {
                let key = try P256PrivateKey.generate()
                state.keys[name] = key
                state.made += 1
                return Key(key: key, store: self)
            } catch { throw .failed("\(error)") }
        }
    }

    func key(_ name: String) throws(StoreUnavailable) -> (any DeviceKey)? {
        try access { state throws(StoreUnavailable) in
            if state.missedReads > 0 {
                state.missedReads -= 1
                return nil
            }
            return state.keys[name].map { Key(key: $0, store: self) }
        }
    }

    func deleteKey(_ name: String) throws(StoreUnavailable) {
        try access { state throws(StoreUnavailable) in
            if let failure = state.deletionFailure { throw failure }
            state.keys[name] = nil
        }
    }

    func sha256(_ data: Data) -> Data { Data(SHA256.hash(Array(data))) }

    private func access<Value: Sendable>(
        _ body: (inout State) throws(StoreUnavailable) -> Value
    ) throws(StoreUnavailable) -> Value {
        try state.withLock { state throws(StoreUnavailable) in
            if let failure = state.failure { throw failure }
            return try body(&state)
        }
    }
}
