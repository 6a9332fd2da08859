import FileSystem
import Gatehouse
import SQL
import SQLite

/// A new SQLite database, prepared in a file beside its place. The file itself is the mark of an unfinished move.
package final class SQLiteMoveTarget: MoveTarget {
    package let storesAnyText = true

    private let path: String
    private let draft: String
    private let lock: DatabaseLock
    private var opened: Connection?
    /// The definitions of the indexes that are created after the copy.
    private var indexes: [String] = []

    package init(path: String) throws {
        self.path = File.resolved(path)
        draft = UnfinishedMove.draft(of: path)
        var lock: DatabaseLock?
        guard try KilledMove.ends({ try DatabaseLock.exclusive(path).map { lock = $0 } != nil }), let lock else {
            throw MoveRefusal("a server or a command has the target open, stop it first: \(path)")
        }
        self.lock = lock
        guard !Restore.isInterrupted(path) else {
            throw MoveRefusal(
                "a restore of the target was interrupted: run gatehouse restore again, or name another file")
        }
        if File.exists(path) { try requireEmpty() }
    }

    private func requireEmpty() throws {
        let current: Connection
        do {
            current = try Connection(at: path, access: .readWrite)
            let isOwn = try SQLiteMigrator(current).ownVersion() == SQLiteMigrator.latest
            for table in MovedTable.all where isOwn && table.name != "documents" {
                guard try current.count(table) == 0 else { throw MoveRefusal.notEmpty(path) }
            }
            guard try isOwn || current.count("sqlite_schema") == 0 else { throw MoveRefusal.notEmpty(path) }
            // Its log must not be beside the new database.
            _ = try current.first("PRAGMA journal_mode = DELETE") { $0.text(0) }
        } catch is SchemaFault {
            throw MoveRefusal.notEmpty(path)
        } catch let error as SQLiteError where error.isDamage {
            throw MoveRefusal.notEmpty(path)
        }
    }

    private func connection() throws -> Connection {
        guard let opened else { throw StoreFailure("the target is not open") }
        return opened
    }

    package func begin(_ progress: Progress) throws {
        progress.begin("creating the target")
        try removeDraft()
        let connection = try Connection(at: draft, access: .readWrite)
        opened = connection
        // A killed move is started again from the beginning, so nothing needs to be durable before the end.
        try connection.execute(
            script: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;")
        _ = try SQLiteMigrator(connection).migrate(progress: progress)
        let found = try connection.all(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
        ) { row in (name: row.text(0), sql: row.text(1)) }
        for index in found { try connection.execute(script: "DROP INDEX \(index.name)") }
        indexes = found.map(\.sql)
    }

    private func removeDraft() throws {
        for suffix in ["-journal", "-wal", "-shm", ""] where File.exists(draft + suffix) {
            try File.remove(draft + suffix)
        }
    }

    package func fill(_ table: MovedTable, from rows: ((Span<UInt8>) throws -> Void) throws -> Void) throws {
        let connection = try connection()
        let places = table.columns.map { _ in "?" }.joined(separator: ", ")
        let insert = "INSERT INTO \(table.name) (\(table.columnList)) VALUES (\(places))"
        try connection.execute(script: "BEGIN")
        try rows { row in try connection.run(insert, encoded: row, as: table.kinds) }
        try connection.execute(script: "COMMIT")
    }

    package func setLastNumber(_ number: Int64, of table: MovedTable) throws {
        let connection = try connection()
        guard try connection.lastNumber(of: table) < number else { return }
        try connection.run("DELETE FROM sqlite_sequence WHERE name = ?", .text(table.name))
        // Other tables continue after their largest number.
        try connection.run(
            """
            INSERT INTO sqlite_sequence (name, seq)
            SELECT name, ?2 FROM sqlite_schema WHERE name = ?1 AND sql LIKE '%AUTOINCREMENT%'
            """, .text(table.name), .integer(number))
    }

    package func index(_ progress: Progress) throws {
        progress.begin("creating the indexes")
        let connection = try connection()
        for sql in indexes { try connection.execute(script: sql) }
    }

    package func read(_ table: MovedTable, _ body: (Span<UInt8>) throws -> Void) throws {
        try connection().read(table, body)
    }

    package func abandon() throws {
        opened = nil
        try removeDraft()
    }

    package func complete() throws {
        let connection = try connection()
        try connection.readAsServer()
        // The last write syncs the whole file.
        try connection.execute(
            script: """
                PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;
                BEGIN IMMEDIATE; PRAGMA user_version = \(SQLiteMigrator.latest); COMMIT;
                """)
        opened = nil
        try File.syncFolder(File.folder(of: path))
        try File.rename(draft, to: path)
        try File.syncFolder(File.folder(of: path))
    }
}

extension MoveRefusal {
    static func notEmpty(_ target: String) -> MoveRefusal {
        MoveRefusal(
            "the target is not empty: name a new database instead of \(target), or use it if a move has filled it")
    }
}
