package import SQLite

/// Brings a database to the schema that this program speaks, one committed step at a time.
package struct Migrator {
    /// The schema that this program speaks.
    package static let latest = Migration.all.count

    package enum Fault: Error, Equatable, CustomStringConvertible {
        case databaseIsNewer(found: Int, known: Int)
        case databaseIsForeign

        package var description: String {
            switch self {
            case .databaseIsNewer(let found, let known):
                "the database has schema \(found), but this program knows only up to \(known): run a newer one"
            case .databaseIsForeign: "the database was not made by this program"
            }
        }
    }

    private let connection: Connection

    package init(_ connection: Connection) {
        self.connection = connection
    }

    package func version() throws(SQLiteError) -> Int {
        try connection.first("PRAGMA user_version") { row in Int(row.integer(0)) } ?? 0
    }

    /// Runs the steps that are missing and returns their names.
    package func migrate() throws -> [String] {
        let found = try ownVersion()
        var applied: [String] = []
        for number in found..<Self.latest where try apply(step: number) {
            applied.append(Migration.all[number].name)
        }
        return applied
    }

    /// What has to happen before this program can use the database; nil where nothing has to.
    package func advice() throws -> String? {
        do {
            let found = try ownVersion()
            guard found < Self.latest else { return nil }
            return "the database has schema \(found), this program speaks \(Self.latest): run gatehouse migrate"
        } catch let fault as Fault {
            return fault.description
        }
    }

    /// The schema of a database that is ours, or that nobody has put anything into yet.
    @discardableResult
    func ownVersion() throws -> Int {
        // Both in one look: another process may be migrating.
        let found = try connection.first(
            "SELECT user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version"
        ) { row in (version: Int(row.integer(0)), tables: row.integer(1)) }
        guard let found, found.version > 0 || found.version == 0 && found.tables == 0 else {
            throw Fault.databaseIsForeign
        }
        guard found.version <= Self.latest else {
            throw Fault.databaseIsNewer(found: found.version, known: Self.latest)
        }
        return found.version
    }

    /// False where another process has taken the step meanwhile.
    private func apply(step number: Int) throws(SQLiteError) -> Bool {
        try connection.execute(script: "BEGIN IMMEDIATE")
        do {
            guard try version() == number else {
                try connection.execute(script: "ROLLBACK")
                return false
            }
            try connection.execute(script: String(decoding: Migration.all[number].sql, as: UTF8.self))
            try connection.execute(script: "PRAGMA user_version = \(number + 1)")
            try connection.execute(script: "COMMIT")
            return true
        } catch {
            if !connection.isInAutocommit { try? connection.execute(script: "ROLLBACK") }
            throw error
        }
    }
}
