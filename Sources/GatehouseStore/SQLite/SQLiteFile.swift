package import Gatehouse
import POSIX
import SQLite

/// A database file as an operator sees it: to be migrated, to be examined.
package struct SQLiteFile {
    let path: String

    package init(path: String) {
        self.path = path
    }

    /// Brings the schema up to date and returns the names of the steps that were missing.
    package func migrate() throws -> [String] {
        let lock = try SQLiteStore.lock(path, waiting: .seconds(10))
        defer { withExtendedLifetime(lock) {} }
        return try Migrator(SQLiteStore.writingConnection(to: path)).migrate()
    }

    /// What a server keeps under a name.
    package func document(_ name: String) throws -> Document? {
        try Connection(at: path, access: .readOnly).document(name)
    }
}
