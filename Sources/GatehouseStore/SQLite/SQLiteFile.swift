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

    /// What is wrong with the file: nothing, when it is whole and of the schema this program speaks.
    package func faults() -> [String] {
        do {
            let connection = try Connection(path: path, access: .readOnly)
            let damage = try connection.all("PRAGMA quick_check") { row in row.text(0) }.filter { $0 != "ok" }
            return try damage + [Migrator(connection).advice()].compactMap { $0 } + permissionFaults()
        } catch {
            return ["\(error)"]
        }
    }

    /// What a server keeps under a name.
    package func document(_ name: String) throws -> Document? {
        try Connection(path: path, access: .readOnly).document(name)
    }

    private func permissionFaults() -> [String] {
        let openness = File.isReadableByOthers(path) ? "others can read it: chmod o= \(path)" : nil
        let readOnly = File.isWritable(path) ? nil : "this user cannot write it: \(path)"
        return [openness, readOnly].compactMap { $0 }
    }
}
