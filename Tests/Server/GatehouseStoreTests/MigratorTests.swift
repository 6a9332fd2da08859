import GatehouseStore
import SQL
import SQLite
import TestSupport
import Testing

@Suite("Migrations")
struct MigratorTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("m.db") }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("migrations run once, and a second run applies none")
    func idempotent() throws {
        #expect(try SQLiteFile(path: path).migrate().count == Migrator.latest)
        #expect(try SQLiteFile(path: path).migrate().isEmpty)
        #expect(try SQLiteFile(path: path).schema() == .current)
        #expect(try SQLiteFile(path: path).damage(deep: true).isEmpty)
    }

    @Test("migrations run once if several processes start at the same time")
    func concurrent() throws {
        let applied = try Concurrently.run(8) { [path] _ in try SQLiteFile(path: path).migrate().count }
        #expect(applied.reduce(0, +) == Migrator.latest)
    }

    @Test("a database of a newer version is not opened")
    func newer() throws {
        _ = try SQLiteFile(path: path).migrate()
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute(script: "PRAGMA user_version = 1000")
        #expect(throws: Migrator.Fault.databaseIsNewer(found: 1000, known: Migrator.latest)) {
            try SQLiteStore(path: path)
        }
    }

    @Test("a database of another program is not opened")
    func foreign() throws {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute(script: "PRAGMA user_version = -3")
        #expect(throws: Migrator.Fault.databaseIsForeign) { try SQLiteStore(path: path) }
        #expect(try SQLiteFile(path: path).schema() == .foreign)
    }

    @Test("a writing connection is durable: it has a write-ahead log, and syncs every commit")
    func pragmas() throws {
        let connection = try SQLiteStore.writingConnection(to: path)
        #expect(try connection.first("PRAGMA journal_mode") { $0.text(0) } == "wal")
        #expect(try connection.first("PRAGMA synchronous") { $0.integer(0) } == 2)
        #expect(try connection.first("PRAGMA foreign_keys") { $0.integer(0) } == 1)
    }
}
