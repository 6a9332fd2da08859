import FileSystem
import Gatehouse
import SQL
import SQLite

/// A SQLite database that is moved: the database of a stopped server, or a backup. It is read in one transaction, and
/// not changed.
package final class SQLiteMoveSource: MoveSource {
    package let name: String
    private let connection: Connection
    private let lock: DatabaseLock?

    /// - Parameter isBackup: whether it is a backup, which needs no lock, unless the file turns out to be the database
    ///   of a server.
    package init(path: String, isBackup: Bool, _ progress: Progress = Progress()) throws {
        guard File.exists(path) else { throw MoveRefusal("there is no database: \(path)") }
        lock = isBackup && !DatabaseLock.exists(for: path) ? nil : try Self.lock(path)
        name = "sqlite:" + File.resolved(path)
        progress.begin("opening the source")
        connection = try Connection(at: path, access: .readWrite)
        connection.setBusyTimeout(milliseconds: 5000)
        try connection.keepLogOnClose(true)
        do {
            if let advice = try SQLiteMigrator(connection).advice() { throw MoveRefusal("\(path): \(advice)") }
            let found = try SQLiteMigrator(connection).ownVersion()
            // This program does not know every column of a newer schema, and would leave some behind.
            guard found == SQLiteMigrator.latest else {
                throw MoveRefusal("\(path): \(SchemaFault.databaseIsNewer(found: found, known: SQLiteMigrator.latest))")
            }
            try connection.execute(script: "BEGIN")
        } catch let error as SQLiteError where error.isDamage {
            throw MoveRefusal("\(path) is damaged or no database: use a backup (\(error))")
        }
    }

    private static func lock(_ path: String) throws -> DatabaseLock {
        var lock: DatabaseLock?
        guard try KilledMove.ends({ try DatabaseLock.exclusive(path).map { lock = $0 } != nil }), let lock else {
            throw MoveRefusal("a server or a command has the database open, stop it first: \(path)")
        }
        guard !Restore.isInterrupted(path) else {
            throw MoveRefusal("a restore of the database was interrupted: run gatehouse restore again")
        }
        guard !UnfinishedMove.exists(at: path) else { throw MoveRefusal(UnfinishedMove.advice(for: path)) }
        return lock
    }

    package func read(_ table: MovedTable, _ body: (Span<UInt8>) throws -> Void) throws {
        try connection.read(table, body)
    }

    package func count(_ table: MovedTable) throws -> Int64 { try connection.count(table) }

    package func lastNumber(of table: MovedTable) throws -> Int64 { try connection.lastNumber(of: table) }
}

extension Connection {
    func read(_ table: MovedTable, _ body: (Span<UInt8>) throws -> Void) throws {
        try forEach(table.query, encodedAs: table.kinds, body)
    }

    func count(_ table: MovedTable) throws -> Int64 { try count("\(table.name) WHERE \(table.condition)") }

    func lastNumber(of table: MovedTable) throws -> Int64 {
        try first(
            """
            SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0),
                coalesce((SELECT max(\(table.key)) FROM \(table.name)), 0))
            """, .text(table.name)
        ) { $0.integer(0) } ?? 0
    }
}
