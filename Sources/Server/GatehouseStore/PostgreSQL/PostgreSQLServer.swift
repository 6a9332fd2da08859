package import Gatehouse
import POSIX
import PostgreSQL
import SQL

/// A PostgreSQL database that an operator examines, on a connection of its own.
package struct PostgreSQLServer {
    let connection: Connection

    /// Connects to the primary.
    package init(_ settings: PostgreSQLSettings) throws(StoreFailure) {
        do throws(PostgreSQLError) { connection = try Connection(to: settings.url, settings.options) } catch {
            throw StoreFailure(error.description, cause: error.storeCause)
        }
    }

    /// The address of a primary that refuses writes, if no primary was found for this reason: by default, only a server
    /// that accepts writes is connected to. Nil if the URL itself demands such a server.
    package static func readOnlyPrimary(_ settings: PostgreSQLSettings) -> String? {
        var options = settings.options
        options.needsPrimary = false
        for first in 0..<Connection.countServers(in: settings.url) {
            guard let connection = try? Connection(to: settings.url, options, startingAt: first) else { return nil }
            if !connection.isStandby { return connection.address }
        }
        return nil
    }
}

extension PostgreSQLServer: ExaminedDatabase {
    package func schema() throws -> SchemaState {
        let known = PostgreSQLMigrator.latest
        do {
            if let source = try connection.sourceOfUnfinishedMove() { return .moving(from: source) }
            let found = try connection.version()
            if found == known { return .current }
            if found < known { return .older(found: found, known: known) }
            guard try connection.schemaFault() == nil else { return .newer(found: found, known: known) }
            return .newerButUsable(found: found, known: known)
        } catch SchemaFault.databaseIsForeign {
            return .foreign
        }
    }

    package func document(_ name: String) throws -> Document? { try connection.document(name) }

    package func newestMoment() throws -> Timestamp? { try connection.newestMoment() }

    package func numbers(after last: String, limit: Int) throws -> [String] {
        try connection.numbers(after: last, limit: limit)
    }

    package func role(of address: CodeAddress) throws -> Role? { try connection.role(of: address) }

    package func usersWithoutPhone() throws -> Int { try connection.usersWithoutPhone() }

    package func rpIDOfPasskeys() throws -> String? { try connection.rpIDOfPasskeys() }

    package func receiverStates() throws -> [ReceiverState] { try connection.receiverStates() }

    package func sealedValues(byFirst headByteCount: Int) throws -> [(head: [UInt8], count: Int)] {
        try connection.sealedValues(byFirst: headByteCount)
    }
}

// MARK: - Facts

extension PostgreSQLServer {
    package func facts() throws(StoreFailure) -> PostgreSQLFacts {
        do throws(PostgreSQLError) { return try readFacts() } catch {
            throw StoreFailure(error.description, cause: error.storeCause)
        }
    }

    private func readFacts() throws(PostgreSQLError) -> PostgreSQLFacts {
        var facts = PostgreSQLFacts()
        (facts.address, facts.isEncrypted) = (connection.address, connection.isEncrypted)
        facts.isProtected = connection.isProtected
        facts.certificateEnd = connection.certificateEnd.map { Timestamp(seconds: $0) }
        (facts.version, facts.isPooled) = (connection.serverVersion, connection.isPooled)
        facts.encoding = try text(
            "SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()")
        facts.privileges = try connection.privileges()
        facts.durability = try connection.durability()
        facts.upkeep = try connection.upkeep()
        facts.connections = try connection.limits()
        facts.clockLead = try clockLead()
        facts.oldTransaction = try connection.oldTransaction()
        return facts
    }

    /// A pooler that gives each statement another session refuses transactions.
    package func requireTransactions() throws(StoreFailure) {
        do throws(PostgreSQLError) {
            try connection.begin()
            _ = try connection.first("SELECT 1::bigint") { $0.integer(0) }
            try connection.commit()
        } catch {
            throw StoreFailure(error.description, cause: error.storeCause)
        }
    }

    private func text(_ sql: String) throws(PostgreSQLError) -> String {
        try connection.first(sql) { $0.text(0) } ?? ""
    }

    /// Compared with the middle of the time that the query took.
    private func clockLead() throws(PostgreSQLError) -> Duration {
        let before = WallClock.millisecondsSince1970()
        let server = try connection.first("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint") {
            $0.integer(0)
        }
        let after = WallClock.millisecondsSince1970()
        return .milliseconds((server ?? after) - (before + after) / 2)
    }
}

extension Connection {
    private static let tables = ["gatehouse_schema"] + MovedTable.all.map(\.name)

    fileprivate func privileges() throws(PostgreSQLError) -> PostgreSQLFacts.Privileges {
        var privileges = PostgreSQLFacts.Privileges()
        _ = try first(
            """
            SELECT current_user::text, current_schema()::text,
                coalesce(has_schema_privilege(current_schema(), 'CREATE'), FALSE),
                coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('refresh_tokens')), TRUE)
            """
        ) { row in
            (privileges.user, privileges.schema) = (row.text(0), row.optionalText(1))
            (privileges.canCreate, privileges.ownsTables) = (row.integer(2) != 0, row.integer(3) != 0)
        }
        _ = try first(
            """
            SELECT coalesce((SELECT rolsuper FROM pg_roles WHERE rolname = current_user), FALSE),
                EXISTS (SELECT FROM pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba)))
                    WHERE datname = current_database() AND grantee = 0 AND privilege_type IN ('CONNECT', 'TEMPORARY'))
            """
        ) { row in
            (privileges.isSuperuser, privileges.isOpenToPublic) = (row.integer(0) != 0, row.integer(1) != 0)
        }
        // Only a migration writes to the table of the schema version.
        privileges.deniedTables = try all(
            """
            SELECT name FROM unnest(?1::text[]) AS name WHERE to_regclass(name) IS NOT NULL
            AND NOT (SELECT bool_and(has_table_privilege(to_regclass(name), privilege))
                FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
                WHERE privilege = 'SELECT' OR name <> 'gatehouse_schema')
            """, with: [.texts(Self.tables)]
        ) { $0.text(0) }
        return privileges
    }

    fileprivate func durability() throws(PostgreSQLError) -> PostgreSQLFacts.Durability {
        var found = PostgreSQLFacts.Durability()
        _ = try first(
            """
            SELECT current_setting('fsync') <> 'off', current_setting('full_page_writes') <> 'off',
                current_setting('synchronous_commit'), current_setting('synchronous_standby_names')
            """
        ) { row in
            (found.isFlushed, found.writesFullPages) = (row.integer(0) != 0, row.integer(1) != 0)
            (found.synchronousCommit, found.synchronousStandbyNames) = (row.text(2), row.text(3))
        }
        let isArchiveFailing = try isArchiveFailing()
        (found.isArchiving, found.isArchiveFailing) = (isArchiveFailing != nil, isArchiveFailing == true)
        if let standbys = try standbys() {
            (found.standbys, found.synchronousStandbys) = (standbys.count, standbys.synchronousCount)
        }
        found.baseBackupAge = try baseBackupAge()
        return found
    }

    /// A base backup leaves a file in the folder of the write-ahead log when it ends. The file stays until the next
    /// backup.
    private func baseBackupAge() throws(PostgreSQLError) -> Duration? {
        let isAllowed = try first("SELECT has_function_privilege('pg_ls_waldir()', 'EXECUTE')") { $0.integer(0) != 0 }
        guard isAllowed == true else { return nil }
        let seconds = try first(
            """
            SELECT extract(epoch FROM clock_timestamp() - max(modification))::bigint FROM pg_ls_waldir()
            WHERE name LIKE '%.backup'
            """
        ) { $0.optionalInteger(0) }
        return seconds.flatMap { $0 }.map { .seconds($0) }
    }

    fileprivate func upkeep() throws(PostgreSQLError) -> PostgreSQLFacts.Upkeep {
        var found = PostgreSQLFacts.Upkeep()
        found.isAutovacuumOn = try first("SELECT current_setting('autovacuum') <> 'off'") { $0.integer(0) != 0 } ?? true
        found.disabledTriggers = try all(
            """
            SELECT tgname || ' on ' || tgrelid::regclass FROM pg_trigger
            WHERE tgrelid = ANY (SELECT to_regclass(name) FROM unnest(?1::text[]) AS name) AND tgenabled NOT IN ('O', 'A')
            ORDER BY 1
            """, with: [.texts(Self.tables)]
        ) { $0.text(0) }
        found.unvacuumedTables = try all(
            """
            SELECT relname::text FROM pg_class WHERE oid = ANY (SELECT to_regclass(name) FROM unnest(?1::text[]) AS name)
            AND lower(reloptions::text) ~ 'autovacuum_enabled=(off|false|no|0)' ORDER BY 1
            """, with: [.texts(Self.tables)]
        ) { $0.text(0) }
        return found
    }

    /// The lowest limit counts. -1 means no limit.
    fileprivate func limits() throws(PostgreSQLError) -> PostgreSQLFacts.Connections {
        var found = PostgreSQLFacts.Connections()
        _ = try first(
            """
            SELECT least(current_setting('max_connections')::bigint
                    - current_setting('superuser_reserved_connections')::bigint
                    - coalesce(current_setting('reserved_connections', TRUE)::bigint, 0),
                (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
                (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user)),
                (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
                (SELECT setting::bigint FROM pg_settings WHERE name = 'idle_session_timeout')
            """
        ) { row in
            (found.limit, found.inUse) = (Int(row.integer(0)), Int(row.integer(1)))
            found.idleTimeout = .milliseconds(row.integer(2))
        }
        return found
    }

    fileprivate func oldTransaction() throws(PostgreSQLError) -> PostgreSQLFacts.OldTransaction? {
        try first(
            """
            SELECT pid::bigint, extract(epoch FROM clock_timestamp() - xact_start)::bigint FROM pg_stat_activity
            WHERE backend_xid IS NOT NULL AND xact_start < clock_timestamp() - interval '1 minute'
            ORDER BY xact_start LIMIT 1
            """
        ) { row in PostgreSQLFacts.OldTransaction(process: Int(row.integer(0)), age: .seconds(row.integer(1))) }
    }
}
