package import Gatehouse
import SQL

/// Names of documents that several parts use.
package enum DocumentName {
    /// Updated by each verified backup. Only its time counts.
    package static let lastBackup = "last_backup"
    /// The encrypted keys of the hashes that recognise removed identities.
    package static let identityHashKeys = "identity_hash_keys"
    /// The domain to which the passkeys belong.
    package static let relyingPartyID = "passkey_rp_id"
    /// The names of the settings that programs of any version know, a line each.
    package static let settingNames = "setting_names"
    /// The last time known in a database without a clock, how long the machine had run then, in milliseconds, and
    /// which run of the machine that was.
    package static let lastKnownTime = "last_known_time"
    /// Followed by the id of a node: how far its clock is ahead of the database's, in milliseconds.
    package static let nodeClockPrefix = "node clock "
}

extension RelationalStore {
    package func document(_ name: String) throws(StoreFailure) -> Document? {
        try read { try $0.document(name) }
    }

    package func keep(_ document: Document, as name: String) throws(StoreFailure) {
        try write { try $0.keep(document, as: name) }
    }

    /// False, and nothing is changed, when the document of this name has another content; nil for none.
    package func keep(
        _ document: Document, as name: String, replacing content: [UInt8]?
    ) throws(StoreFailure) -> Bool {
        try write { try $0.keep(document, as: name, replacing: content) }
    }
}

extension RecordConnection {
    func document(_ name: String) throws -> Document? {
        try first("SELECT content, updated_at FROM documents WHERE name = ?", .text(name)) { row in
            Document(content: row.blob(0), updatedAt: row.timestamp(1))
        }
    }

    fileprivate func keep(_ document: Document, as name: String, replacing content: [UInt8]?) throws -> Bool {
        let values: [Value] = [.text(name), .blob(document.content), .integer(document.updatedAt.milliseconds)]
        guard let content else {
            return try run(
                "INSERT INTO documents (name, content, updated_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
                values[0], values[1], values[2]) == 1
        }
        return try run(
            "UPDATE documents SET content = ?2, updated_at = ?3 WHERE name = ?1 AND content = ?4", values[0], values[1],
            values[2], .blob(content)) == 1
    }

    func keep(_ document: Document, as name: String) throws {
        try send(
            """
            INSERT INTO documents (name, content, updated_at) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET content = excluded.content, updated_at = excluded.updated_at
            """,
            .text(name), .blob(document.content), .integer(document.updatedAt.milliseconds))
    }
}
