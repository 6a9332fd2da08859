package import Gatehouse
import SQLite

/// One look after the other, each on a connection of its own that only reads: beside a server, nobody waits for it.
extension SQLiteFile {
    /// The schema that is there, against the one that this program speaks.
    package enum Schema: Sendable, Equatable {
        case current
        case older(found: Int, known: Int)
        case newer(found: Int, known: Int)
        case foreign
    }

    package func schema() throws -> Schema {
        do {
            let found = try Migrator(reader()).ownVersion()
            return found < Migrator.latest ? .older(found: found, known: Migrator.latest) : .current
        } catch let fault as Migrator.Fault {
            switch fault {
            case .databaseIsForeign: return .foreign
            case .databaseIsNewer(let found, let known): return .newer(found: found, known: known)
            }
        }
    }

    /// What is wrong within the file; a few lines of it, where it is much.
    ///
    /// - Parameter deep: compares every index with its table as well, and takes some times as long. Until it is over, the
    ///   log of what is written meanwhile cannot be shortened.
    package func damage(deep: Bool) throws -> [String] {
        do throws(SQLiteError) { return try examined(deep: deep) } catch {
            // Another error tells of the file's place, not of the file.
            guard error.isDamage else { throw error }
            return [error.description]
        }
    }

    private func examined(deep: Bool) throws(SQLiteError) -> [String] {
        let connection = try reader()
        if deep { return try connection.damage("PRAGMA integrity_check(5)") }
        // Table by table, the log gets its turn in between.
        let tables = try connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) }
        var found: [String] = []
        for table in tables where found.count < 5 {
            let name = table.replacing("'", with: "''")
            found += try connection.damage("PRAGMA quick_check('\(name)')")
        }
        return Array(found.prefix(5))
    }

    /// The latest moment that the database knows of.
    package func newestMoment() throws -> Timestamp? {
        let connection = try reader()
        let questions = [
            "SELECT created_at FROM users ORDER BY id DESC LIMIT 1",
            "SELECT moment FROM audit_events ORDER BY rowid DESC LIMIT 1", "SELECT max(updated_at) FROM documents",
        ]
        return try questions.compactMap { question throws(SQLiteError) in
            try connection.first(question) { $0.optionalInteger(0) } ?? nil
        }.max().map { Timestamp(milliseconds: $0) }
    }

    /// When the first row was made that an operator would miss: of a user, or of the audit trail.
    package func oldestMoment() throws -> Timestamp? {
        let connection = try reader()
        let questions = [
            "SELECT created_at FROM users ORDER BY id LIMIT 1",
            "SELECT moment FROM audit_events ORDER BY rowid LIMIT 1",
        ]
        return try questions.compactMap { question throws(SQLiteError) in
            try connection.first(question) { $0.optionalInteger(0) } ?? nil
        }.min().map { Timestamp(milliseconds: $0) }
    }

    func reader() throws(SQLiteError) -> Connection {
        let connection = try Connection(at: path, access: .readOnly)
        connection.setBusyTimeout(milliseconds: 5000)
        return connection
    }
}

extension Connection {
    fileprivate func damage(_ question: String) throws(SQLiteError) -> [String] {
        try all(question) { $0.text(0) }.filter { $0 != "ok" }
    }
}
