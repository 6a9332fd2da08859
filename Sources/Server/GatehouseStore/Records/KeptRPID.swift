package import Gatehouse
import SQL

/// The RP id of the passkeys in the database. Kept as a document, so every node and a moved database know it.
extension RelationalStore {
    /// Keeps the RP id for the passkeys that will be made. Returns the one of the passkeys that are here, if it is another one,
    /// and then changes nothing.
    package func adopt(rpID: String, now: Timestamp) throws(StoreFailure) -> String? {
        // Most starts write nothing.
        guard try read({ try $0.keptRPID() }) != rpID else { return nil }
        return try write { connection in
            if let other = try connection.rpIDOfPasskeys(), other != rpID { return other }
            try connection.keep(
                Document(content: Array(rpID.utf8), updatedAt: now), as: DocumentName.relyingPartyID)
            return nil
        }
    }
}

extension RecordConnection {
    fileprivate func keptRPID() throws -> String? {
        try document(DocumentName.relyingPartyID).map { String(decoding: $0.content, as: UTF8.self) }
    }

    /// Nil if there are no passkeys.
    func rpIDOfPasskeys() throws -> String? {
        let exists = try first("SELECT 1 FROM auth_accounts WHERE provider = 'PASSKEY' LIMIT 1") { _ in true }
        return exists == nil ? nil : try keptRPID()
    }
}
