import PostgreSQL
import SQL

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
