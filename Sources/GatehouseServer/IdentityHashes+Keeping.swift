import Gatehouse
import GatehouseStore
import GatehouseTokens
import JSON

extension IdentityHashes {
    /// The identity hashes with the keys in the database. A new key is stored before it is used: without it, no hash
    /// could be recognised after a restart.
    static func kept(
        in documents: SQLiteStore, by ring: KeyRing, now: Timestamp, log: Log
    ) throws(StoreFailure) -> IdentityHashes {
        let document = try documents.document(DocumentName.identityHashKeys)?.content ?? []
        let hashes = IdentityHashes(document: document, openedBy: ring)
        if hashes.unopenedCount > 0 {
            let warning = """
                \(hashes.unopenedCount) keys of the identity hashes were encrypted with an unknown secret, so disabled \
                users whose Apple Account was deleted may sign in as new users. Add the secret of that time to \
                \(Settings.table.refreshSecretPrevious.name).
                """
            log(.warning, "identity_hashes", [("warning", .string(warning))])
        }
        try hashes.keep(in: documents, by: ring, now: now)
        return hashes
    }

    /// Encrypts the keys with the current secret, unless they are already.
    func keep(in documents: SQLiteStore, by ring: KeyRing, now: Timestamp) throws(StoreFailure) {
        let old = try documents.document(DocumentName.identityHashKeys)?.content ?? []
        guard let new = document(replacing: old, sealedBy: ring) else { return }
        try documents.keep(Document(content: new, updatedAt: now), as: DocumentName.identityHashKeys)
    }
}
