import Gatehouse
import PostgreSQL
import SQL

/// A PostgreSQL database that is moved. Its tables are locked against writes until this value is released.
package final class PostgreSQLMoveSource: MoveSource {
    package let name: String
    private let connection: Connection

    package init(url: String, _ progress: Progress = Progress()) throws {
        progress.begin("connecting to the source")
        connection = try Connection.forMove(to: url)
        if let source = try connection.sourceOfUnfinishedMove() {
            throw MoveRefusal(UnfinishedMove.advice(from: source))
        }
        do {
            let version = try connection.version()
            guard version == PostgreSQLMigrator.latest else {
                throw MoveRefusal(
                    "the source has schema \(version), this program needs schema \(PostgreSQLMigrator.latest): "
                        + "run gatehouse migrate with the version of Gatehouse that fits")
            }
        } catch let fault as SchemaFault {
            throw MoveRefusal(fault.description)
        }
        try connection.refuseOtherNodes(of: "source")
        name = "postgresql " + (try connection.first("SELECT current_database()") { $0.text(0) } ?? "")
        try connection.begin()
        let tables = MovedTable.all.map(\.name).joined(separator: ", ")
        try connection.run("LOCK TABLE \(tables) IN SHARE MODE")
    }

    package func read(_ table: MovedTable, _ body: (Span<UInt8>) throws -> Void) throws {
        try connection.read(table, body)
    }

    package func count(_ table: MovedTable) throws -> Int64 { try connection.count(table) }

    package func lastNumber(of table: MovedTable) throws -> Int64 { try connection.lastNumber(of: table) }
}

extension Connection {
    /// A connection whose statements may take long.
    static func forMove(to url: String) throws -> Connection {
        let connection = try Connection(
            to: url,
            ConnectionOptions(
                connectTimeout: .seconds(10), statementTimeout: .zero, lockTimeout: .seconds(10),
                answerTimeout: .seconds(3600)))
        guard !connection.isPooled else {
            throw MoveRefusal("gatehouse move needs a connection without a pooler: name the server itself")
        }
        // Lets the server notice during a long statement that this process was killed. Not every operating system of a
        // server supports this.
        _ = try? connection.first("SELECT set_config('client_connection_check_interval', '1s', false)") { $0.text(0) }
        return connection
    }

    func refuseOtherNodes(of role: String) throws {
        var count: Int64 = 0
        let isAlone = try KilledMove.ends {
            count = try otherNodes()
            return count == 0
        }
        guard isAlone else {
            throw MoveRefusal(
                "servers or commands of Gatehouse use the \(role) (\(count) connections): stop them first")
        }
    }

    /// Nodes and commands set this name, unless the URL has another one.
    private func otherNodes() throws -> Int64 {
        try first(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
                AND (application_name LIKE 'gatehouse%' OR application_name = current_setting('application_name'))
            """
        ) { $0.integer(0) } ?? 0
    }

    func read(_ table: MovedTable, _ body: (Span<UInt8>) throws -> Void) throws {
        let kept = KeptError()
        do {
            try copyOut("COPY (\(table.query)) TO STDOUT (FORMAT binary)") { row in
                try kept.keeping { try body(row) }
            }
        } catch {
            throw kept.error ?? error
        }
    }

    func count(_ table: MovedTable) throws -> Int64 {
        try first("SELECT count(*) FROM \(table.name) WHERE \(table.condition)") { $0.integer(0) } ?? 0
    }

    func lastNumber(of table: MovedTable) throws -> Int64 {
        try first(
            """
            SELECT greatest(coalesce(pg_sequence_last_value(pg_get_serial_sequence(?1, ?2)::regclass), 0),
                (SELECT coalesce(max(\(table.key)), 0) FROM \(table.name)))
            """, .text(table.name), .text(table.key)
        ) { $0.integer(0) } ?? 0
    }
}
