import Gatehouse
import PostgreSQL
import SQL

/// Creates and migrates the schema of a PostgreSQL database.
///
/// Nodes of the previous version keep working while the first node of this version migrates: a migration only adds what
/// they do not need, and a later migration removes what no node uses any more.
package struct PostgreSQLMigrator {
    package static let latest = PostgreSQLMigration.all.count

    private let settings: PostgreSQLSettings

    package init(_ settings: PostgreSQLSettings) {
        self.settings = settings
    }

    /// Runs the missing steps, one transaction per migration, and returns their names. If several nodes start at the
    /// same moment, one migrates and the others wait.
    @discardableResult
    package func migrate(progress: Progress = Progress()) throws -> [String] {
        progress.begin("connecting to the database")
        let connection = try Connection(to: settings.url, settings.options)
        if let source = try connection.sourceOfUnfinishedMove() {
            throw StoreFailure(UnfinishedMove.advice(from: source))
        }
        if try connection.version() == Self.latest { return [] }
        return try migrate(Connection(to: settings.url, settings.migrationOptions), progress: progress)
    }

    /// Also migrates the target of a move, in its transaction.
    @discardableResult
    func migrate(_ connection: Connection, progress: Progress) throws -> [String] {
        var applied: [String] = []
        for (index, migration) in PostgreSQLMigration.all.enumerated() where try connection.version() == index {
            progress.begin("applying: \(migration.name)")
            if try connection.apply(migration, number: index) { applied.append(migration.name) }
        }
        if let fault = try connection.schemaFault() { throw fault }
        return applied
    }

    /// What the operator must do before this program can use the database; nil when it can.
    package func advice() throws -> String? {
        let connection = try Connection(to: settings.url, settings.options)
        let found: Int
        do {
            if let source = try connection.sourceOfUnfinishedMove() { return UnfinishedMove.advice(from: source) }
            if let fault = try connection.schemaFault() { throw fault }
            found = try connection.version()
        } catch let fault as SchemaFault {
            return fault.description
        }
        guard found < Self.latest else { return nil }
        return "the database has schema \(found), this program needs schema \(Self.latest): run gatehouse migrate"
    }
}

extension Connection {
    /// The advisory lock that the migrations of all nodes take.
    private static let schemaLock: Int64 = 0x6761_7465_7363_686D

    /// The schema version; 0 if there is none.
    func version() throws -> Int {
        // Not with to_regclass: its cache misses a table that was created while this session waited for a lock.
        let tables = try all(
            """
            SELECT relname::text FROM pg_class
            WHERE relname IN ('gatehouse_schema', 'refresh_tokens') AND pg_table_is_visible(oid)
            """
        ) { $0.text(0) }
        guard tables.contains("gatehouse_schema") else {
            guard tables.isEmpty else { throw SchemaFault.databaseIsForeign }
            return 0
        }
        return try first("SELECT version FROM gatehouse_schema") { Int($0.integer(0)) } ?? 0
    }

    /// Why this program cannot use the schema, even after a migration.
    func schemaFault() throws -> SchemaFault? {
        let found = try version()
        guard found > PostgreSQLMigrator.latest else { return nil }
        let oldest = try first("SELECT usable_by FROM gatehouse_schema") { Int($0.integer(0)) } ?? found
        return oldest <= PostgreSQLMigrator.latest
            ? nil : .databaseIsNewer(found: found, known: PostgreSQLMigrator.latest)
    }

    /// False when another process has run the migration.
    fileprivate func apply(_ migration: PostgreSQLMigration, number: Int) throws -> Bool {
        guard isInTransaction else { return try transaction { try $0.apply(migration, number: number) } }
        // The wait for another node's migration may be long. A wait for the lock of a table must not be, since requests
        // queue up behind it.
        try send("SELECT set_config('lock_timeout', '0', TRUE)")
        try send("SELECT pg_advisory_xact_lock(?)", .integer(Self.schemaLock))
        try send("SELECT set_config('lock_timeout', '5s', TRUE)")
        guard try version() == number else { return false }
        try execute(script: String(decoding: migration.sql, as: UTF8.self))
        try send(
            "UPDATE gatehouse_schema SET version = ?, usable_by = ?", .integer(Int64(number + 1)),
            .integer(Int64(migration.usableBy)))
        return true
    }
}

/// A migration. Its number is its position, and it never changes after its release.
struct PostgreSQLMigration: Sendable {
    let name: String
    /// A program that knows this schema version, or a later one, can keep working after this migration.
    let usableBy: Int
    let sql: [UInt8]

    /// In the order in which they run.
    static let all: [PostgreSQLMigration] = [
        PostgreSQLMigration(name: "tables", usableBy: 1, sql: PackageResources.postgresql_0001_tables_sql),
        PostgreSQLMigration(
            name: "raced refresh tokens", usableBy: 1,
            sql: PackageResources.postgresql_0002_raced_refresh_tokens_sql),
        PostgreSQLMigration(
            name: "bound sessions", usableBy: 1, sql: PackageResources.postgresql_0003_bound_sessions_sql),
        PostgreSQLMigration(name: "any provider", usableBy: 1, sql: PackageResources.postgresql_0004_any_provider_sql),
        PostgreSQLMigration(name: "codes", usableBy: 1, sql: PackageResources.postgresql_0005_codes_sql),
        PostgreSQLMigration(
            name: "authorizations", usableBy: 1, sql: PackageResources.postgresql_0006_authorizations_sql),
        PostgreSQLMigration(name: "events", usableBy: 1, sql: PackageResources.postgresql_0007_events_sql),
        PostgreSQLMigration(name: "app transfer", usableBy: 1, sql: PackageResources.postgresql_0008_app_transfer_sql),
        PostgreSQLMigration(
            name: "former subjects", usableBy: 1, sql: PackageResources.postgresql_0009_former_subjects_sql),
        PostgreSQLMigration(
            name: "searches of operators", usableBy: 1,
            sql: PackageResources.postgresql_0010_searches_of_operators_sql),
        PostgreSQLMigration(
            name: "searches of accounts", usableBy: 1, sql: PackageResources.postgresql_0011_searches_of_accounts_sql),
        PostgreSQLMigration(
            name: "redemptions by index", usableBy: 1, sql: PackageResources.postgresql_0012_redemptions_by_index_sql),
        PostgreSQLMigration(name: "notices", usableBy: 1, sql: PackageResources.postgresql_0013_notices_sql),
        PostgreSQLMigration(name: "passkeys", usableBy: 1, sql: PackageResources.postgresql_0014_passkeys_sql),
        PostgreSQLMigration(
            name: "login methods", usableBy: 1, sql: PackageResources.postgresql_0015_login_methods_sql),
        PostgreSQLMigration(name: "support", usableBy: 1, sql: PackageResources.postgresql_0016_support_sql),
        PostgreSQLMigration(name: "guests", usableBy: 1, sql: PackageResources.postgresql_0017_guests_sql),
        PostgreSQLMigration(name: "attributes", usableBy: 1, sql: PackageResources.postgresql_0018_attributes_sql),
    ]
}
