import Gatehouse
import PostgreSQL
import SQL

/// A PostgreSQL database that is filled in one transaction: the database server discards it when a move is killed. The
/// table `gatehouse_move`, which is created before, marks the database as unfinished, so that no node starts with an
/// empty one.
///
/// The triggers of the schema act on changes and deletions, so none of them adds to what is copied.
package final class PostgreSQLMoveTarget: MoveTarget {
    package let storesAnyText = false
    /// The advisory lock that a move holds while it is connected.
    private static let moveLock: Int64 = 0x6761_7465_6D6F_7665

    private let connection: Connection
    private let settings: PostgreSQLSettings
    private let source: String
    private var isMarked = false
    /// Creates the indexes and constraints that are missing during the copy.
    private var definitions = ""

    /// - Parameter source: the name of the source. A move from another source is not continued.
    package init(url: String, source: String, _ progress: Progress = Progress()) throws {
        progress.begin("connecting to the target")
        settings = PostgreSQLSettings(url: url)
        self.source = source
        connection = try Connection.forMove(to: url)
        let encoding = try connection.first("SHOW server_encoding") { $0.text(0) }
        guard encoding == "UTF8" else {
            throw MoveRefusal("the encoding of the target is \(encoding ?? "unknown"): create the database with UTF8")
        }
        guard try KilledMove.ends({ try isLocked() }) else {
            throw MoveRefusal("another gatehouse move into the target is running")
        }
        try connection.refuseOtherNodes(of: "target")
        if let earlier = try connection.sourceOfUnfinishedMove() {
            guard earlier == source else { throw MoveRefusal(UnfinishedMove.advice(from: earlier, not: source)) }
            isMarked = true
        } else {
            try requireEmpty()
        }
    }

    private func isLocked() throws -> Bool {
        try connection.first("SELECT pg_try_advisory_lock(?)", .integer(Self.moveLock)) { $0.integer(0) != 0 } == true
    }

    private func requireEmpty() throws {
        do {
            guard try connection.version() > 0 else { return }
            if let fault = try connection.schemaFault() { throw fault }
        } catch SchemaFault.databaseIsForeign {
            throw MoveRefusal("the target has tables of another program: name an empty database")
        } catch let fault as SchemaFault {
            throw MoveRefusal(fault.description)
        }
        // Every node writes documents at its start, so this table may have rows.
        for table in MovedTable.all where table.name != "documents" {
            let hasRow = try connection.first("SELECT 1 FROM \(table.name) LIMIT 1") { _ in true }
            guard hasRow == nil else { throw MoveRefusal.notEmpty("this one") }
        }
    }

    package func begin(_ progress: Progress) throws {
        progress.begin("creating the target")
        if !isMarked {
            try connection.transaction { connection in
                try connection.send("CREATE TABLE gatehouse_move (source TEXT NOT NULL)")
                try connection.send("INSERT INTO gatehouse_move VALUES (?)", .text(source))
            }
        }
        try connection.begin()
        try PostgreSQLMigrator(settings).migrate(connection, progress: progress)
        definitions = try connection.suspendIndexes()
        let tables = MovedTable.all.map(\.name).joined(separator: ", ")
        try connection.run("TRUNCATE \(tables) RESTART IDENTITY")
    }

    /// The rows are frozen, so no vacuum has to write them again.
    package func fill(_ table: MovedTable, from rows: ((Span<UInt8>) throws -> Void) throws -> Void) throws {
        let kept = KeptError()
        let statement = "COPY \(table.name) (\(table.columnList)) FROM STDIN (FORMAT binary, FREEZE)"
        try refusingConstraints {
            do {
                try connection.copyIn(statement) { writer in
                    try kept.keeping { try rows { row in try writer.append(row) } }
                }
            } catch {
                // When the server refuses a row, the writer's error does not contain the reason.
                throw kept.error is PostgreSQLError ? error : kept.error ?? error
            }
        }
    }

    private func refusingConstraints(_ body: () throws -> Void) throws {
        do { try body() } catch let error as PostgreSQLError where error.isConstraint {
            throw MoveRefusal("PostgreSQL refuses the rows of the source: \(error.message)")
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
        // Sorting in memory takes less than half of the time.
        _ = try connection.first(
            """
            SELECT set_config(name, greatest(setting::bigint, 262144)::text, true) FROM pg_settings
            WHERE name = 'maintenance_work_mem'
            """
        ) { $0.text(0) }
        try refusingConstraints { try connection.execute(script: definitions) }
        progress.begin("analyzing the tables")
        for table in MovedTable.all { try connection.run("ANALYZE \(table.name)") }
    }

    package func read(_ table: MovedTable, _ body: (Span<UInt8>) throws -> Void) throws {
        try connection.read(table, body)
    }

    package func abandon() throws {
        try connection.rollback()
        try connection.run("DROP TABLE IF EXISTS gatehouse_move")
    }

    package func complete() throws {
        // A node may have been starting when the move began.
        try connection.refuseOtherNodes(of: "target")
        try connection.run("DROP TABLE gatehouse_move")
        try connection.commit()
    }
}

extension Connection {
    /// Drops what slows down the copy: foreign keys and all indexes. Returns the statements that create them.
    fileprivate func suspendIndexes() throws -> String {
        let scripts = try all(
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
                SELECT CASE contype WHEN 'f' THEN 2 ELSE 1 END,
                    'ALTER TABLE ' || conrelid::regclass || ' ADD CONSTRAINT ' || quote_ident(conname) || ' '
                        || pg_get_constraintdef(oid),
                    'ALTER TABLE ' || conrelid::regclass || ' DROP CONSTRAINT ' || quote_ident(conname)
                FROM pg_constraint
                WHERE conrelid IN (SELECT unnest(?1::text[])::regclass) AND contype IN ('p', 'u', 'f')
            ) AS dependent
            """, with: [.texts(MovedTable.all.map(\.name))]
        ) { row in (definitions: row.text(0), removals: row.text(1)) }.first
        try execute(script: scripts?.removals ?? "")
        return scripts?.definitions ?? ""
    }
}
