import SQL
package import SQLite

/// Migrates a database in SQLite to the schema of this program, one transaction per migration.
package struct SQLiteMigrator {
    /// The schema version of this program.
    package static let latest = SQLiteMigration.all.count

    private let connection: Connection

    package init(_ connection: Connection) {
        self.connection = connection
    }

    package func version() throws(SQLiteError) -> Int {
        try connection.first("PRAGMA user_version") { row in Int(row.integer(0)) } ?? 0
    }

    /// Runs the steps that are missing and returns their names.
    package func migrate(progress: Progress = Progress()) throws -> [String] {
        var applied: [String] = []
        for number in min(try ownVersion(), Self.latest)..<Self.latest {
            let name = SQLiteMigration.all[number].name
            progress.begin("applying: \(name)")
            if try apply(step: number) { applied.append(name) }
        }
        return applied
    }

    /// What the operator must do before this program can use the database; nil when it can.
    package func advice() throws -> String? {
        do {
            let found = try ownVersion()
            guard found < Self.latest else { return nil }
            return "the database has schema \(found), this program needs schema \(Self.latest): run gatehouse migrate"
        } catch let fault as SchemaFault {
            return fault.description
        }
    }

    /// The schema version of a database of this program, or of an empty one. It is newer than this program's if a newer
    /// program has migrated the database, and this one can use it.
    @discardableResult
    func ownVersion() throws -> Int {
        // In one query: another process may be migrating.
        let found = try connection.first(
            """
            SELECT user_version, (SELECT count(*) FROM sqlite_schema),
                (SELECT count(*) FROM sqlite_schema WHERE name = 'gatehouse_schema')
            FROM pragma_user_version
            """
        ) { row in (version: Int(row.integer(0)), tables: row.integer(1), saysUsableBy: row.integer(2) == 1) }
        guard let found, found.version > 0 || found.version == 0 && found.tables == 0 else {
            throw SchemaFault.databaseIsForeign
        }
        if found.version > Self.latest {
            let oldest = found.saysUsableBy ? try oldestUsableVersion() : nil
            guard let oldest, oldest <= Self.latest else {
                throw SchemaFault.databaseIsNewer(found: found.version, known: Self.latest)
            }
        }
        return found.version
    }

    private func oldestUsableVersion() throws(SQLiteError) -> Int? {
        try connection.first("SELECT usable_by FROM gatehouse_schema") { Int($0.integer(0)) }
    }

    /// False when another process has run the migration meanwhile.
    private func apply(step number: Int) throws(SQLiteError) -> Bool {
        try connection.execute(script: "BEGIN IMMEDIATE")
        do {
            guard try version() == number else {
                try connection.execute(script: "ROLLBACK")
                return false
            }
            let migration = SQLiteMigration.all[number]
            try connection.execute(script: String(decoding: migration.sql, as: UTF8.self))
            if let oldest = migration.usableBy {
                try connection.run("UPDATE gatehouse_schema SET usable_by = ?", .integer(Int64(oldest)))
            }
            try connection.execute(script: "PRAGMA user_version = \(number + 1)")
            try connection.execute(script: "COMMIT")
            return true
        } catch {
            if !connection.isInAutocommit { try? connection.execute(script: "ROLLBACK") }
            throw error
        }
    }
}

/// A migration. Its number is its position, and it never changes after its release.
struct SQLiteMigration: Sendable {
    let name: String
    /// A program that knows this schema version, or a later one, can use the database after this migration. Nil in
    /// migrations older than the table with this number, whose programs refuse a newer schema.
    var usableBy: Int?
    let sql: [UInt8]

    /// In the order in which they run.
    static let all: [SQLiteMigration] = [
        SQLiteMigration(name: "users and sessions", sql: PackageResources._001_users_and_sessions_sql),
        SQLiteMigration(name: "revocations and audit", sql: PackageResources._002_revocations_and_audit_sql),
        SQLiteMigration(name: "documents", sql: PackageResources._003_documents_sql),
        SQLiteMigration(name: "apple", sql: PackageResources._004_apple_sql),
        SQLiteMigration(
            name: "verified emails and devices", sql: PackageResources._005_verified_emails_and_devices_sql),
        SQLiteMigration(
            name: "operators in the audit trail", sql: PackageResources._006_operators_in_the_audit_trail_sql),
        SQLiteMigration(
            name: "checks without temporary tables",
            sql: PackageResources._007_checks_without_temporary_tables_sql),
        SQLiteMigration(name: "confirmed refresh tokens", sql: PackageResources._008_confirmed_refresh_tokens_sql),
        SQLiteMigration(name: "raced refresh tokens", sql: PackageResources._009_raced_refresh_tokens_sql),
        SQLiteMigration(name: "bound sessions", sql: PackageResources._010_bound_sessions_sql),
        SQLiteMigration(name: "any provider", sql: PackageResources._011_any_provider_sql),
        SQLiteMigration(name: "codes", sql: PackageResources._012_codes_sql),
        SQLiteMigration(name: "authorizations", sql: PackageResources._013_authorizations_sql),
        SQLiteMigration(name: "events", sql: PackageResources._014_events_sql),
        SQLiteMigration(name: "app transfer", sql: PackageResources._015_app_transfer_sql),
        SQLiteMigration(name: "searches of operators", sql: PackageResources._016_searches_of_operators_sql),
        SQLiteMigration(name: "notices", sql: PackageResources._017_notices_sql),
        SQLiteMigration(name: "passkeys", sql: PackageResources._018_passkeys_sql),
        SQLiteMigration(name: "login methods", sql: PackageResources._019_login_methods_sql),
        SQLiteMigration(name: "support", sql: PackageResources._020_support_sql),
        SQLiteMigration(name: "usable by", usableBy: 21, sql: PackageResources._021_usable_by_sql),
        SQLiteMigration(name: "guests", usableBy: 21, sql: PackageResources._022_guests_sql),
        SQLiteMigration(name: "attributes", usableBy: 21, sql: PackageResources._023_attributes_sql),
    ]
}
