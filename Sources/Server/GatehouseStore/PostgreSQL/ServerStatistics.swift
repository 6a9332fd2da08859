import Gatehouse
import PostgreSQL
import SQL

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
