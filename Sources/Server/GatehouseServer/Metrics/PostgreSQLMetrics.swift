import Gatehouse
import GatehouseStore

/// The metrics of a store on a PostgreSQL server. Nothing is written for a database in a file.
enum PostgreSQLGauges {
    private static let prefix = "gatehouse_postgresql_"

    static func write(_ age: Duration, to text: inout Exposition) {
        text.begin(
            Family(
                "gatehouse_revocations_age_seconds", .gauge,
                "Time since this node has read what other nodes have ended. After 30 s guarded requests are refused."))
        text.sample(age / .seconds(1))
    }

    static func write(_ server: ServerStatistics, to text: inout Exposition) {
        text.begin(
            Family(prefix + "primary_reachable", .gauge, "1 if a primary answered just now, 0 if not."))
        text.sample(server.isPrimaryReachable ? 1 : 0)
        text.begin(
            Family(
                prefix + "failovers_total", .counter, "Primaries with a newer timeline that were found since the start."
            ))
        text.sample(server.failovers)
        text.begin(
            Family(
                prefix + "timeline", .gauge, "Timeline of the primary, which a failover increments; NaN if not known."))
        text.sample(server.timeline.map(Double.init))
        write(server.pool, to: &text)
        writeReplication(server, to: &text)
    }

    private static func write(_ pool: PoolStatistics, to text: inout Exposition) {
        for (name, value, help) in [
            ("limit", pool.limit, "DATABASE_CONNECTIONS: the limit of the connection pool."),
            ("open", pool.open, "Open connections of the pool."),
            ("in_use", pool.inUse, "Connections of the pool that a request uses."),
            ("waiting", pool.waiting, "Requests that wait for a connection of the pool."),
        ] {
            text.begin(Family(prefix + "connections_" + name, .gauge, help))
            text.sample(value)
        }
    }

    private static func writeReplication(_ server: ServerStatistics, to text: inout Exposition) {
        text.begin(
            Family(prefix + "standbys", .gauge, "Standbys that stream from the primary, by kind; NaN if not readable."))
        let standbys = server.standbys
        text.sample(standbys.map { Double($0.synchronousCount) }, [("kind", "synchronous")])
        text.sample(standbys.map { Double($0.count - $0.synchronousCount) }, [("kind", "asynchronous")])
        text.begin(
            Family(
                prefix + "replication_lag_bytes", .gauge,
                "Write-ahead log that the slowest standby has not flushed yet; NaN if not readable."))
        text.sample(standbys.map { Double($0.lagBytes) })
        text.begin(
            Family(
                prefix + "archive_failing", .gauge,
                "1 if the last file of the write-ahead log could not be archived, 0 if it was; NaN without an archive.")
        )
        text.sample(server.isArchiveFailing.map { $0 ? 1 : 0 })
    }
}
