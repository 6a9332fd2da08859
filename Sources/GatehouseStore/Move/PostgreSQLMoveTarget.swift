import Gatehouse
import PostgreSQL
package import SQL

/// A PostgreSQL database that is filled. A table `gatehouse_move` marks it as unfinished, and keeps the definitions of the
/// indexes and constraints that are missing meanwhile.
///
/// The triggers of the schema act on changes and deletions, so none of them adds to what is copied.
package final class PostgreSQLMoveTarget: MoveTarget {
    package let storesZeroBytes = false
    /// Held for as long as a move is connected.
    private static let moveLock: Int64 = 0x6761_7465_6D6F_7665

    private let connection: Connection
    private let settings: PostgreSQLSettings
    private let source: String
    private var isMarked = false

    /// - Parameter source: its name. A move from another source is not continued.
    package init(url: String, source: String, _ progress: Progress = Progress()) throws {
        progress.begin("connecting to the target")
        settings = PostgreSQLSettings(url: url)
        self.source = source
        connection = try Connection.forMove(to: url)
        let encoding = try connection.first("SHOW server_encoding") { $0.text(0) }
        guard encoding == "UTF8" else {
            throw MoveRefusal("the encoding of the target is \(encoding ?? "unknown"): create the database with UTF8")
        }
        let isOurs = try connection.first("SELECT pg_try_advisory_lock(?)", .integer(Self.moveLock)) {
            $0.integer(0) != 0
        }
        guard isOurs == true else { throw MoveRefusal("another gatehouse move into the target is running") }
        try connection.refuseOtherNodes(of: "target")
        if let earlier = try connection.sourceOfUnfinishedMove() {
            guard earlier == source else { throw MoveRefusal(UnfinishedMove.advice(movingFrom: earlier)) }
            isMarked = true
        } else {
            try requireEmpty()
        }
    }

    private func requireEmpty() throws {
        do {
            guard try connection.version() > 0 else { return }
        } catch is Migrator.Fault {
            throw MoveRefusal("the target has tables of another program: name an empty database")
        }
        // A server that was started once has written documents.
        for table in MovedTable.all where table.name != "documents" {
            let hasRow = try connection.first("SELECT 1 FROM \(table.name) LIMIT 1") { _ in true }
            guard hasRow == nil else { throw MoveRefusal.notEmpty("this one") }
        }
    }

    package func begin(_ progress: Progress) throws {
        progress.begin("creating the target")
        if !isMarked {
            try connection.transaction { connection in
                try connection.send("CREATE TABLE gatehouse_move (source TEXT NOT NULL, definitions TEXT NOT NULL)")
                try connection.send("INSERT INTO gatehouse_move VALUES (?, '')", .text(source))
            }
        }
        try PostgreSQLMigrator(settings).migrate(connection, progress: progress)
        try connection.suspendIndexes()
        let tables = MovedTable.all.map(\.name).joined(separator: ", ")
        try connection.run("TRUNCATE \(tables) RESTART IDENTITY")
    }

    package func fill(_ table: MovedTable, from rows: (([Value]) throws -> Void) throws -> Void) throws {
        let kept = KeptError()
        do {
            try connection.copyIn("COPY \(table.name) (\(table.columnList)) FROM STDIN") { writer in
                try kept.keeping { try rows { values in try writer.append(values) } }
            }
        } catch {
            // When the server refuses a row, the writer fails without the reason.
            throw kept.error is PostgreSQLError ? error : kept.error ?? error
        }
    }

    package func setLastNumber(_ number: Int64, of table: MovedTable) throws {
        _ = try connection.first(
            "SELECT setval(pg_get_serial_sequence(?1, ?2)::regclass, greatest(?3::bigint, 1), ?3::bigint > 0)",
            .text(table.name), .text(table.key), .integer(number)
        ) { $0.integer(0) }
    }

    package func index(_ progress: Progress) throws {
        progress.begin("creating the indexes")
        try connection.restoreIndexes()
        progress.begin("analyzing the tables")
        for table in MovedTable.all { try connection.run("ANALYZE \(table.name)") }
    }

    package func read(_ table: MovedTable, _ body: ([Value]) throws -> Void) throws {
        try connection.read(table, body)
    }

    package func count(_ table: MovedTable) throws -> Int64 { try connection.count(table) }

    package func lastNumber(of table: MovedTable) throws -> Int64 { try connection.lastNumber(of: table) }

    package func complete() throws {
        // A server that was starting when the move began.
        try connection.refuseOtherNodes(of: "target")
        try connection.run("DROP TABLE gatehouse_move")
    }
}

extension Connection {
    /// Drops what slows down the copy: foreign keys, and all indexes except those of the primary keys. Their definitions
    /// come into the mark in the same transaction.
    fileprivate func suspendIndexes() throws {
        let definitions = try first("SELECT definitions FROM gatehouse_move") { $0.text(0) }
        guard definitions?.isEmpty != false else { return }
        let scripts = try first(
            """
            SELECT string_agg(definition, E';\\n' ORDER BY place, definition),
                string_agg(removal, E';\\n' ORDER BY place DESC, removal)
            FROM (
                SELECT 1 AS place, pg_get_indexdef(indexrelid) AS definition,
                    'DROP INDEX ' || indexrelid::regclass AS removal
                FROM pg_index
                WHERE indrelid IN (SELECT unnest(?1::text[])::regclass)
                    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid)
                UNION ALL
                SELECT 2, 'ALTER TABLE ' || conrelid::regclass || ' ADD CONSTRAINT ' || quote_ident(conname) || ' '
                    || pg_get_constraintdef(oid),
                    'ALTER TABLE ' || conrelid::regclass || ' DROP CONSTRAINT ' || quote_ident(conname)
                FROM pg_constraint
                WHERE conrelid IN (SELECT unnest(?1::text[])::regclass) AND contype IN ('u', 'f')
            ) AS dependent
            """, with: [.texts(MovedTable.all.map(\.name))]
        ) { row in (definitions: row.text(0), removals: row.text(1)) }
        guard let scripts else { return }
        try transaction { connection in
            try connection.send("UPDATE gatehouse_move SET definitions = ?", .text(scripts.definitions))
            try connection.execute(script: scripts.removals)
        }
    }

    /// In one transaction with the mark, so that a killed move finds all of them or none.
    fileprivate func restoreIndexes() throws {
        let definitions = try first("SELECT definitions FROM gatehouse_move") { $0.text(0) } ?? ""
        // Sorting in memory takes less than half of the time.
        _ = try first(
            """
            SELECT set_config(name, greatest(setting::bigint, 262144)::text, false) FROM pg_settings
            WHERE name = 'maintenance_work_mem'
            """
        ) { $0.text(0) }
        try transaction { connection in
            try connection.execute(script: definitions)
            try connection.send("UPDATE gatehouse_move SET definitions = ''")
        }
    }
}
