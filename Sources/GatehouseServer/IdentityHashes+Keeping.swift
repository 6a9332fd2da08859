import Gatehouse
import GatehouseTokens
import JSON

extension IdentityHashes {
    /// The hashes whose key the database keeps, or new ones.
    static func kept(
        in documents: any DocumentStore, by ring: KeyRing, now: Timestamp, log: Log
    ) throws(StoreFailure) -> IdentityHashes {
        let sealed = try documents.document(DocumentName.identityHashKey)?.content
        if let sealed, let hashes = IdentityHashes(sealed: sealed, by: ring) {
            hashes.keep(in: documents, by: ring, now: now, log: log)
            return hashes
        }
        if sealed != nil {
            let warning = """
                No JWT_REFRESH_SECRET opens the key of the identity hashes, so a new one was made: disabled users whom Apple \
                has removed can sign in as new users. At the next rotation, keep the old secret as \
                JWT_REFRESH_SECRET_PREVIOUS.
                """
            log(.warning, "identity_hashes", [("warning", .string(warning))])
        }
        let hashes = IdentityHashes()
        hashes.keep(in: documents, by: ring, now: now, log: log)
        return hashes
    }

    /// Seals the key with the current secret, where it is not sealed with that. Serving goes on where it cannot be kept.
    func keep(in documents: any DocumentStore, by ring: KeyRing, now: Timestamp, log: Log) {
        do throws(StoreFailure) {
            if let sealed = try documents.document(DocumentName.identityHashKey)?.content,
                Self.isCurrent(sealed, in: ring), IdentityHashes(sealed: sealed, by: ring) == self
            {
                return
            }
            try documents.keep(Document(content: sealed(by: ring), updatedAt: now), as: DocumentName.identityHashKey)
        } catch {
            let fault = "the key of the identity hashes could not be kept: \(error.description)"
            log(.error, "identity_hashes", [("fault", .string(fault))])
        }
    }
}
