package import Gatehouse
import JOSE
import OpenSSL
import Synchronization

/// Where the last good set outlives the process.
package final class KeySetArchive: Sendable {
    private let documents: any DocumentStore
    private let name: String
    /// An unchanged set is written anew after this time: its age is part of what is kept.
    private let interval: Duration
    private let written = Mutex<Document?>(nil)

    /// - Parameter address: where the set is published. What another address published is not found.
    package init(_ documents: any DocumentStore, address: String, interval: Duration = KeySetPolicy().refreshInterval) {
        self.documents = documents
        self.interval = interval
        name = Self.name(for: address)
    }

    /// An address may hold a secret, and a hash of it is as good a name.
    package static func name(for address: String) -> String {
        "apple_keys " + Base64URL.encode(SHA256.hash(address))
    }

    /// Nil also where the store fails, which says so in the log by itself.
    func last() -> Document? { try? documents.document(name) }

    /// A store that fails has said so; the next set is kept again.
    func keep(_ set: Document) {
        let isWritten = written.withLock { $0.map { !isWorthWriting(set, after: $0) } ?? false }
        guard !isWritten, (try? documents.keep(set, as: name)) != nil else { return }
        written.withLock { $0 = set }
    }

    /// Also where the clock was set back, since a set from the future would not be believed.
    private func isWorthWriting(_ set: Document, after last: Document) -> Bool {
        set.content != last.content || set.updatedAt >= last.updatedAt + interval || set.updatedAt < last.updatedAt
    }
}
