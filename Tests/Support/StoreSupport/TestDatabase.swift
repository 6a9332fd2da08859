package import Foundation
package import GatehouseStore
import PostgreSQL
package import SQL
import SQLite
import TestSupport

/// A database for a test: a file, or on a PostgreSQL server. Suites that touch the store run in both worlds.
package struct TestDatabase: Sendable {
    package static let isOnServer = Worlds.database == .postgresql

    /// As `DATABASE_URL` has it.
    package let url: String
    private let folder: TemporaryFolder?

    /// A new database.
    package init() throws {
        let folder = try TemporaryFolder()
        try self.init(file: folder.file("gatehouse.db"), in: folder)
    }

    /// A new database, in this file if it is one.
    package init(file: String) throws { try self.init(file: file, in: nil) }

    private init(file: String, in folder: TemporaryFolder?) throws {
        url = try Self.isOnServer ? TemporaryPostgreSQL.shared.get().database() : "sqlite:" + file
        self.folder = folder
    }

    package init(url: String) {
        self.url = url
        folder = nil
    }

    /// Nil for a database on a server.
    private var file: String? { url.hasPrefix("sqlite:") ? String(url.dropFirst(7)) : nil }

    /// Opened as a server does. Another call opens the same database again.
    package func store() throws -> any ServerStore {
        if let file { return try SQLiteStore(path: file) }
        return try PostgreSQLStore(PostgreSQLSettings(url: url, connections: 4))
    }

    /// Opened as an operator's command does.
    package func storeBesideServers() throws -> any ServerStore {
        if let file { return try SQLiteStore(besideServerAt: file) }
        return try PostgreSQLStore(besideServersOf: PostgreSQLSettings(url: url, connections: 4))
    }

    /// A connection for SQL by hand.
    package func connection() throws -> any ScriptConnection {
        guard let file else { return try PostgreSQL.Connection(to: url) }
        let connection = try SQLite.Connection(path: file, access: .readWrite)
        connection.setBusyTimeout(milliseconds: 5000)
        return connection
    }

    package func execute(_ script: String) throws { try connection().executeScript(script) }

    /// The first column of the first row; -1 if there is none.
    package func number(_ query: String) throws -> Int64 {
        try connection().first(query) { $0.integer(0) } ?? -1
    }

    /// The names of the tables.
    package func tables() throws -> [String] {
        let query =
            file == nil
            ? "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"
            : "SELECT name FROM sqlite_master WHERE type = 'table'"
        return try connection().all(query) { $0.text(0) }
    }

    /// Everything that the database stores, as bytes: its files, or a dump.
    package func content() throws -> Data {
        if let file {
            return ["", "-wal"].reduce(into: Data()) { $0 += FileManager.default.contents(atPath: file + $1) ?? Data() }
        }
        return Data(try Shell.run([TemporaryPostgreSQL.program("pg_dump"), "--dbname=" + url]))
    }
}

/// A connection that also executes scripts.
package protocol ScriptConnection: SQLConnection {
    func executeScript(_ script: String) throws
}

extension SQLite.Connection: ScriptConnection {
    package func executeScript(_ script: String) throws { try execute(script: script) }
}

extension PostgreSQL.Connection: ScriptConnection {
    package func executeScript(_ script: String) throws { try execute(script: script) }
}
