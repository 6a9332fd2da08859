package import Gatehouse
import PostgreSQL
import SQL

/// What an operator should know of a PostgreSQL server that is used by Gatehouse.
package struct PostgreSQLFacts: Sendable, Equatable {
    /// The primary, as libpq names it.
    package var address = ""
    package var isEncrypted = false
    /// The server is on this machine, or has proven its identity with its certificate.
    package var isProtected = true
    /// When the server's certificate ends; nil if it has presented none.
    package var certificateEnd: Timestamp?
    /// As in `server_version_num`: 150018 is version 15.18.
    package var version = 0
    package var encoding = "UTF8"
    package var privileges = Privileges()
    package var durability = Durability()
    package var upkeep = Upkeep()
    package var connections = Connections()
    /// Between this program and the server is a pooler that gives each transaction another session.
    package var isPooled = false
    /// How far the clock of the server is ahead of this machine's.
    package var clockLead = Duration.zero
    /// The oldest transaction with changes that is open for more than a minute.
    package var oldTransaction: OldTransaction?

    package init() {}

    /// What the user of the connection may do.
    package struct Privileges: Sendable, Equatable {
        package var user = ""
        package var isSuperuser = false
        /// Every user of the server may connect to the database, and hold its locks.
        package var isOpenToPublic = false
        /// The schema in which tables are created; nil if the user may use none of the search path.
        package var schema: String? = "public"
        package var canCreate = true
        package var ownsTables = true
        /// The tables that the user may not read and write.
        package var deniedTables: [String] = []
    }

    /// Maintenance of the database that an administrator has turned off.
    package struct Upkeep: Sendable, Equatable {
        package var disabledTriggers: [String] = []
        package var isAutovacuumOn = true
        /// The tables that autovacuum leaves out.
        package var unvacuumedTables: [String] = []
    }

    /// What a failure of the primary, its machine or its disk loses.
    package struct Durability: Sendable, Equatable {
        package var isFlushed = true
        package var writesFullPages = true
        package var synchronousCommit = "on"
        package var synchronousStandbyNames = ""
        /// The streaming standbys; nil if the user may not read that.
        package var standbys: Int?
        package var synchronousStandbys: Int?
        package var isArchiving = false
        /// The last attempt to archive a file of the write-ahead log failed.
        package var isArchiveFailing = false
        /// The time since the last base backup of the primary ended; nil if it has no record of one, or the user may
        /// not read it.
        package var baseBackupAge: Duration?
    }

    package struct Connections: Sendable, Equatable {
        /// The lowest limit of the server, the database and the user, without those reserved for administrators.
        package var limit = 100
        package var inUse = 0
        /// After this time the server closes an idle connection; zero if it does not.
        package var idleTimeout = Duration.zero
    }

    package struct OldTransaction: Sendable, Equatable {
        package var process: Int
        package var age: Duration

        package init(process: Int, age: Duration) {
            (self.process, self.age) = (process, age)
        }
    }
}

/// Measurements of the connections to PostgreSQL, and of the primary as far as the user may read them.
package struct ServerStatistics: Sendable {
    package var pool: PoolStatistics
    /// How often a primary with a newer timeline was found since the start.
    package var failovers: Int
    /// The timeline of the primary, which each failover increments; nil if it is not known.
    package var timeline: Int64?
    package var isPrimaryReachable = false
    /// Nil if the user may not read it, or without a primary.
    package var standbys: Standbys?
    /// Nil if the write-ahead log is not archived, or without a primary.
    package var isArchiveFailing: Bool?
}

/// The connections for transactions that do not share one.
package struct PoolStatistics: Sendable {
    package let limit: Int
    package let open: Int
    package let inUse: Int
    /// Requests that wait for a connection.
    package let waiting: Int
}

extension PostgreSQLStore {
    package func statistics() -> StoreStatistics {
        var statistics = StoreStatistics(waitingWrites: refreshes.waitingCount + logins.waitingCount)
        var server = ServerStatistics(pool: pool.statistics, failovers: servers.failoverCount)
        do throws(StoreFailure) {
            (statistics.databaseBytes, statistics.appleBacklog) = try read {
                (
                    try $0.first("SELECT pg_database_size(current_database())") { $0.integer(0) },
                    try $0.appleBacklog()
                )
            }
            server.isPrimaryReachable = true
            (server.standbys, server.isArchiveFailing) = try read { (try $0.standbys(), try $0.isArchiveFailing()) }
        } catch {
            statistics.failure = error
        }
        server.timeline = servers.timeline == 0 ? nil : servers.timeline
        statistics.server = server
        return statistics
    }
}

extension Connection {
    /// Nil if the write-ahead log is not archived.
    func isArchiveFailing() throws(PostgreSQLError) -> Bool? {
        let failing = try first(
            """
            SELECT CASE WHEN current_setting('archive_mode') <> 'off'
                THEN coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), FALSE) END
            FROM pg_stat_archiver
            """
        ) { $0.optionalFlag(0) }
        return failing ?? nil
    }
}

/// The standbys of a primary that stream from it.
package struct Standbys: Sendable, Equatable {
    package var count = 0
    /// A commit waits for one of these.
    package var synchronousCount = 0
    /// The largest part of the write-ahead log that a standby has not flushed to its disk.
    package var lagBytes: Int64 = 0
}

extension Connection {
    /// Nil if the user may not read it: that needs the role pg_monitor.
    func standbys() throws(PostgreSQLError) -> Standbys? {
        var found: Standbys?
        _ = try first(
            """
            SELECT count(*) FILTER (WHERE state = 'streaming'),
                count(*) FILTER (WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')),
                coalesce(max(pg_wal_lsn_diff(CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_lsn() END, flush_lsn)), 0)
                    ::bigint, pg_has_role('pg_read_all_stats', 'USAGE')
            FROM pg_stat_replication
            """
        ) { row in
            guard row.integer(3) != 0 else { return }
            found = Standbys(
                count: Int(row.integer(0)), synchronousCount: Int(row.integer(1)), lagBytes: max(0, row.integer(2)))
        }
        return found
    }
}
