import Gatehouse
import SQLite

extension Connection {
    func document(_ name: String) throws(SQLiteError) -> Document? {
        try first("SELECT content, updated_at FROM documents WHERE name = ?", .text(name)) { row in
            Document(content: row.blob(0), updatedAt: Timestamp(milliseconds: row.integer(1)))
        }
    }

    func keep(_ document: Document, as name: String) throws(SQLiteError) {
        try run(
            "INSERT OR REPLACE INTO documents (name, content, updated_at) VALUES (?, ?, ?)", .text(name),
            .blob(document.content), .integer(document.updatedAt.milliseconds))
    }
}
