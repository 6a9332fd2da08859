import Gatehouse
import GatehouseStore
import GatehouseTokens
import JSON

extension IdentityHashes {
    /// The identity hashes with the keys in the database. A new key is stored before it is used: without it, no hash
    /// could be recognised after a restart. Throws an `UnfittingSecret` if the database belongs to another secret.
    static func kept(
        in documents: any ServerStore, by ring: KeyRing, now: Timestamp, log: Log
    ) throws -> IdentityHashes {
        var hashes: IdentityHashes
        // Another node may make the first key at the same moment. Then this node uses that one.
        repeat {
            let document = try documents.document(DocumentName.identityHashKeys)
            hashes = IdentityHashes(document: document?.content ?? [], openedBy: ring)
            guard hashes.fits else { throw UnfittingSecret(unopenedCount: hashes.unopenedCount) }
        } while try !hashes.isKept(in: documents, by: ring, now: now)
        if hashes.unopenedCount > 0 {
            let warning = """
                \(hashes.unopenedCount) keys of the identity hashes were encrypted with an unknown secret, so disabled \
                users whose Apple Account was deleted may sign in as new users. Add the secret of that time to \
                \(Settings.table.keys.refreshSecretPrevious.name).
                """
            log(.warning, "identity_hashes", [("warning", .string(warning))])
        }
        return hashes
    }

    /// Encrypts the keys with the current secret, unless they are already encrypted with it.
    func keep(in documents: any ServerStore, by ring: KeyRing, now: Timestamp) throws(StoreFailure) {
        while try !isKept(in: documents, by: ring, now: now) {}
    }

    /// False when another process has replaced the document at the same moment.
    private func isKept(in documents: any ServerStore, by ring: KeyRing, now: Timestamp) throws(StoreFailure) -> Bool {
        let old = try documents.document(DocumentName.identityHashKeys)
        guard let new = document(replacing: old?.content ?? [], sealedBy: ring) else { return true }
        return try documents.keep(
            Document(content: new, updatedAt: now), as: DocumentName.identityHashKeys, replacing: old?.content)
    }
}
