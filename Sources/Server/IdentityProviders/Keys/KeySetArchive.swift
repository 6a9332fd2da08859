import Gatehouse
import JOSE
import OpenSSL
import Synchronization

/// Saves the last usable key set in the database, so that logins with Apple work after a restart even while Apple's key
/// server cannot be reached.
package final class KeySetArchive: Sendable {
    private let storage: any KeySetStorage
    private let name: String
    /// An unchanged set is saved again after this time, to update the age that is saved with it.
    private let interval: Duration
    private let saved = Mutex<SavedKeySet?>(nil)

    /// - Parameter address: the URL of the key set. A set from another URL is not used.
    package init(
        _ storage: any KeySetStorage, address: String, interval: Duration = KeySetPolicy().refreshInterval
    ) {
        self.storage = storage
        self.interval = interval
        name = Self.name(for: address)
    }

    /// Contains a hash of the URL, because the URL itself may contain a secret.
    package static func name(for address: String) -> String {
        "apple_keys " + Base64URL.encode(SHA256.hash(address))
    }

    /// Nil also when the storage fails.
    func load() -> SavedKeySet? { storage.load(name) }

    /// If the storage fails, the next call tries again.
    func save(_ set: SavedKeySet) {
        let isSaved = saved.withLock { $0.map { !needsSaving(set, after: $0) } ?? false }
        guard !isSaved, storage.save(set, as: name) else { return }
        saved.withLock { $0 = set }
    }

    /// Also true if the clock was set back: a saved set from the future is not used after a restart.
    private func needsSaving(_ set: SavedKeySet, after last: SavedKeySet) -> Bool {
        set.content != last.content || set.updatedAt >= last.updatedAt + interval || set.updatedAt < last.updatedAt
    }
}
