package import Gatehouse
import JOSE
import OpenSSL
import Synchronization

/// Saves the last usable key set of a provider in the database, so that logins with it work after a restart even while
/// its key server cannot be reached.
package final class KeySetArchive: Sendable {
    private let storage: any KeySetStorage
    private let name: String
    /// An unchanged set is saved again after this time, to update the age that is saved with it.
    private let interval: Duration
    private let saved = Mutex<Document?>(nil)

    /// - Parameter address: of the key set. A set from another address is not used.
    package init(
        _ storage: any KeySetStorage, address: KeySetAddress, of provider: Provider,
        interval: Duration = KeySetPolicy().refreshInterval
    ) {
        (self.storage, self.interval) = (storage, interval)
        name = Self.name(for: address, of: provider)
    }

    /// Contains a hash of the URL, because the URL itself may contain a secret.
    package static func name(for address: KeySetAddress, of provider: Provider) -> String {
        "\(provider.lowercaseName)_keys " + Base64URL.encode(SHA256.hash(address.archiveName))
    }

    /// Nil also when the storage fails.
    func load() -> Document? { storage.load(name) }

    /// If the storage fails, the next call tries again.
    func save(_ set: Document) {
        let isSaved = saved.withLock { $0.map { !needsSaving(set, after: $0) } ?? false }
        guard !isSaved, storage.save(set, as: name) else { return }
        saved.withLock { $0 = set }
    }

    /// Also true if the clock was set back: a saved set from the future is not used after a restart.
    private func needsSaving(_ set: Document, after last: Document) -> Bool {
        set.content != last.content || set.updatedAt >= last.updatedAt + interval || set.updatedAt < last.updatedAt
    }
}

extension KeySetAddress {
    /// A set that was found by discovery is not used as one from a configured URL, nor the reverse.
    fileprivate var archiveName: String {
        switch self {
        case .discovery(let issuer): "issuer " + issuer
        case .keySet(let url): url
        }
    }
}

/// Where the last good key set is kept across restarts.
package protocol KeySetStorage: Sendable {
    /// Nil also when the storage fails.
    func load(_ name: String) -> Document?

    /// False when the storage fails.
    func save(_ keySet: Document, as name: String) -> Bool
}
