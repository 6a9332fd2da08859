import FileSystem
import PostgreSQL
import SQL

/// The mark of a database that a move has not finished. No process may serve what is there.
enum UnfinishedMove {
    /// The file in which a move prepares a SQLite database. While it exists, the database must not be opened.
    static func draft(of path: String) -> String { File.resolved(path) + "-moving" }

    static func exists(at path: String) -> Bool { File.exists(draft(of: path)) }

    static func advice(for path: String) -> String {
        "a move into the database was not finished: run gatehouse move again, or give it up with rm \(draft(of: path))*"
    }

    static func advice(movingFrom source: String) -> String {
        "the database has an unfinished move from \(source): run gatehouse move again, "
            + "or give it up by creating the database anew"
    }
}

extension SQLiteStore {
    /// Whether a move into this database was not finished.
    package static func isMoveUnfinished(at path: String) -> Bool { UnfinishedMove.exists(at: path) }
}

extension Connection {
    /// The source of an unfinished move into this PostgreSQL database; nil if there is none.
    func sourceOfUnfinishedMove() throws -> String? {
        let isMarked = try first("SELECT to_regclass('gatehouse_move') IS NOT NULL") { $0.integer(0) != 0 }
        guard isMarked == true else { return nil }
        return try first("SELECT source FROM gatehouse_move") { $0.text(0) } ?? "an unknown place"
    }
}
