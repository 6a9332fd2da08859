import Gatehouse
import GatehouseTokens
import JSON

extension IdentityHashes {
    /// The hashes whose keys the database keeps. A new key has to be kept before it is used: what it hashes would not be
    /// recognised after a restart.
    static func kept(
        in documents: any DocumentStore, by ring: KeyRing, now: Timestamp, log: Log
    ) throws(StoreFailure) -> IdentityHashes {
        let document = try documents.document(DocumentName.identityHashKeys)?.content ?? []
        let hashes = IdentityHashes(document: document, openedBy: ring)
        if hashes.unopenedCount > 0 {
            let warning = """
                No JWT_REFRESH_SECRET opens \(hashes.unopenedCount) of the keys of the identity hashes: disabled users whom \
                Apple has removed may sign in as new users. Name the secret of that time as JWT_REFRESH_SECRET_PREVIOUS.
                """
            log(.warning, "identity_hashes", [("warning", .string(warning))])
        }
        try hashes.keep(in: documents, by: ring, now: now)
        return hashes
    }

    /// Seals the keys with the current secret, where they are not sealed with that.
    func keep(in documents: any DocumentStore, by ring: KeyRing, now: Timestamp) throws(StoreFailure) {
        let old = try documents.document(DocumentName.identityHashKeys)?.content ?? []
        guard let new = document(replacing: old, sealedBy: ring) else { return }
        try documents.keep(Document(content: new, updatedAt: now), as: DocumentName.identityHashKeys)
    }
}
