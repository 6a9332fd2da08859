package import Gatehouse
import SQLite

extension SQLiteStore: DocumentStore {
    package func document(_ name: String) throws(StoreFailure) -> Document? {
        try reading { connection throws(SQLiteError) in try connection.document(name) }
    }

    package func keep(_ document: Document, as name: String) throws(StoreFailure) {
        try writing { connection throws(SQLiteError) in try connection.keep(document, as: name) }
    }
}
