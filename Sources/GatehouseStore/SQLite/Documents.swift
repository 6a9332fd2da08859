package import Gatehouse
import SQLite

/// Bytes that the store keeps under a name.
package struct Document: Sendable, Equatable {
    package let content: [UInt8]
    package let updatedAt: Timestamp

    package init(content: [UInt8], updatedAt: Timestamp) {
        self.content = content
        self.updatedAt = updatedAt
    }
}

/// Names of documents that several parts use.
package enum DocumentName {
    /// Updated by each verified backup. Only its time counts.
    package static let lastBackup = "last_backup"
    /// The encrypted keys of the hashes that recognise removed identities.
    package static let identityHashKeys = "identity_hash_keys"
}

extension SQLiteStore {
    package func document(_ name: String) throws(StoreFailure) -> Document? {
        try read { try $0.document(name) }
    }

    package func keep(_ document: Document, as name: String) throws(StoreFailure) {
        try write { try $0.keep(document, as: name) }
    }
}

extension Connection {
    func document(_ name: String) throws(SQLiteError) -> Document? {
        try first("SELECT content, updated_at FROM documents WHERE name = ?", .text(name)) { row in
            Document(content: row.blob(0), updatedAt: row.timestamp(1))
        }
    }

    func keep(_ document: Document, as name: String) throws(SQLiteError) {
        try run(
            "INSERT OR REPLACE INTO documents (name, content, updated_at) VALUES (?, ?, ?)", .text(name),
            .blob(document.content), .integer(document.updatedAt.milliseconds))
    }
}
