import Gatehouse
import GatehouseStore
import TestSupport
import Testing

/// Always on a PostgreSQL server.
@Suite("Migrations of a PostgreSQL database")
struct PostgreSQLMigratorTests {
    private let server: TemporaryPostgreSQL
    private let url: String
    private var settings: PostgreSQLSettings { PostgreSQLSettings(url: url, connections: 2) }

    init() throws {
        server = try TemporaryPostgreSQL.shared.get()
        url = try server.database()
    }

    private func setSchema(_ version: Int, usableBy oldest: Int) throws {
        try server.execute("UPDATE gatehouse_schema SET version = \(version), usable_by = \(oldest)", in: url)
    }

    @Test("run once if several nodes start at the same moment, and every node works")
    func concurrent() throws {
        let applied = try Concurrently.run(8) { [settings] _ in
            let names = try PostgreSQLMigrator(settings).migrate()
            _ = try PostgreSQLStore(settings).user(UserID("user_1"))
            return names
        }
        #expect(applied.joined().count == PostgreSQLMigrator.latest)
        #expect(try PostgreSQLMigrator(settings).migrate() == [])
        #expect(try server.execute("SELECT count(*), max(version) FROM gatehouse_schema", in: url).hasPrefix("1|"))
    }

    @Test("leave a newer schema alone, which a program uses if the schema names it as new enough")
    func newer() throws {
        try PostgreSQLMigrator(settings).migrate()
        let (known, next) = (PostgreSQLMigrator.latest, PostgreSQLMigrator.latest + 1)
        try setSchema(next, usableBy: known)
        #expect(try PostgreSQLMigrator(settings).migrate() == [])
        #expect(try PostgreSQLMigrator(settings).advice() == nil)
        _ = try PostgreSQLStore(settings).user(UserID("user_1"))
        #expect(try PostgreSQLServer(settings).schema() == .newerButUsable(found: next, known: known))
        try setSchema(next, usableBy: next)
        #expect(throws: SchemaFault.databaseIsNewer(found: next, known: known)) {
            try PostgreSQLMigrator(settings).migrate()
        }
        #expect(try PostgreSQLMigrator(settings).advice() != nil)
        #expect(throws: (any Error).self) { try PostgreSQLStore(settings) }
    }

    @Test("refuse the database of another program, and do not change it")
    func foreign() throws {
        try server.execute("CREATE TABLE refresh_tokens (token TEXT)", in: url)
        #expect(throws: SchemaFault.databaseIsForeign) { try PostgreSQLMigrator(settings).migrate() }
        #expect(try server.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", in: url) == "1")
    }
}
