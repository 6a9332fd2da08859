import FileSystem
import Gatehouse
import GatehouseStore
import POSIX

/// Counts transactions and failures of the store.
final class StoreCounts: MetricSource {
    private let sizes = Histogram(bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256])
    private let durations = Histogram.ofDurations()
    private let failedCommits = StripedCounters(count: 1)
    private let failures = StripedCounters(count: 1)

    func count(_ commit: Commit) {
        sizes.observe(commit.writes)
        durations.observe(commit.nanoseconds)
        if commit.hasFailed { failedCommits.add(1, to: 0) }
    }

    func countFailure() { failures.add(1, to: 0) }

    func write(to text: inout Exposition) {
        text.begin(
            "gatehouse_store_commit_writes", .histogram, "Writes that shared one transaction and one flush of the disk."
        )
        text.histogram(sizes.content)
        text.begin(
            "gatehouse_store_commit_duration_seconds", .histogram,
            "Duration of write transactions, until they are on the disk.")
        text.histogram(durations.content)
        text.write(
            "gatehouse_store_commit_failures_total", .counter, "Transactions that were not committed.", failedCommits[0]
        )
        text.write("gatehouse_store_failures_total", .counter, "Reads and writes that failed.", failures[0])
    }
}

/// Measures the store at each scrape.
struct StoreGauges: MetricSource {
    let store: any ServerStore
    /// How long ago the revocations of other nodes were read; nil without other nodes.
    let revocationAge: @Sendable () -> Duration?
    let log: Log
    let now: @Sendable () -> Timestamp

    func write(to text: inout Exposition) {
        let statistics = store.statistics()
        if let failure = statistics.failure { log.storeFailure(failure) }
        text.write(
            "gatehouse_store_readable", .gauge, "1 if the database could be read just now, 0 if not.",
            statistics.failure == nil ? 1 : 0)
        text.write(
            "gatehouse_store_commit_queue_length", .gauge, "Writes that wait for the current transaction.",
            statistics.waitingWrites)
        writeSizes(statistics, to: &text)
        writeAppleQueue(statistics.appleBacklog ?? [], to: &text)
        if let age = revocationAge() { PostgreSQLGauges.write(age, to: &text) }
        if let server = statistics.server { return PostgreSQLGauges.write(server, to: &text) }
        text.write(
            "gatehouse_last_backup_timestamp_seconds", .gauge,
            "When the last verified backup was made, in seconds since 1970; 0 if there is none.",
            statistics.backedUpAt.map { Double($0.milliseconds) / 1000 } ?? 0)
    }

    private func writeSizes(_ statistics: StoreStatistics, to text: inout Exposition) {
        text.begin("gatehouse_store_size_bytes", .gauge, "Size of the database's files.")
        text.sample(statistics.databaseBytes.map(Double.init), [("file", "database")])
        // This process cannot measure the files of a database server.
        guard statistics.server == nil else { return }
        // There may be no log before the first write.
        text.sample(Double(statistics.logBytes ?? 0), [("file", "log")])
        text.write(
            "gatehouse_store_filesystem_size_bytes", .gauge, "Size of the file system that holds the database.",
            statistics.totalBytes.map(Double.init))
        text.write(
            "gatehouse_store_filesystem_free_bytes", .gauge,
            "Space that this process may still use on the file system that holds the database.",
            statistics.freeBytes.map(Double.init))
    }

    private func writeAppleQueue(_ queue: [AppleBacklog], to text: inout Exposition) {
        let now = now()
        text.begin("gatehouse_apple_queue_length", .gauge, "Unfinished Apple tasks, by kind.")
        for backlog in queue { text.sample(backlog.count, [("kind", backlog.kind.rawValue)]) }
        text.begin(
            "gatehouse_apple_queue_oldest_seconds", .gauge,
            "Age of the oldest unfinished Apple task, by kind; 0 if there is none.")
        for backlog in queue {
            let age = backlog.since.map { max(0, now.milliseconds - $0.milliseconds) } ?? 0
            text.sample(Double(age) / 1000, [("kind", backlog.kind.rawValue)])
        }
    }
}

/// The metrics of a store on a PostgreSQL server. Nothing is written for a database in a file.
enum PostgreSQLGauges {
    private static let prefix = "gatehouse_postgresql_"

    static func write(_ age: Duration, to text: inout Exposition) {
        text.write(
            "gatehouse_revocations_age_seconds", .gauge,
            "Time since this node has read what other nodes have ended. After 30 s guarded requests are refused.",
            age / .seconds(1))
    }

    static func write(_ server: ServerStatistics, to text: inout Exposition) {
        text.write(
            prefix + "primary_reachable", .gauge, "1 if a primary answered just now, 0 if not.",
            server.isPrimaryReachable ? 1 : 0)
        text.write(
            prefix + "failovers_total", .counter, "Primaries with a newer timeline that were found since the start.",
            server.failovers)
        text.write(
            prefix + "timeline", .gauge, "Timeline of the primary, which a failover increments; NaN if not known.",
            server.timeline.map(Double.init))
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
            text.write(prefix + "connections_" + name, .gauge, help, value)
        }
    }

    private static func writeReplication(_ server: ServerStatistics, to text: inout Exposition) {
        text.begin(prefix + "standbys", .gauge, "Standbys that stream from the primary, by kind; NaN if not readable.")
        let standbys = server.standbys
        text.sample(standbys.map { Double($0.synchronousCount) }, [("kind", "synchronous")])
        text.sample(standbys.map { Double($0.count - $0.synchronousCount) }, [("kind", "asynchronous")])
        text.write(
            prefix + "replication_lag_bytes", .gauge,
            "Write-ahead log that the slowest standby has not flushed yet; NaN if not readable.",
            standbys.map { Double($0.lagBytes) })
        text.write(
            prefix + "archive_failing", .gauge,
            "1 if the last file of the write-ahead log could not be archived, 0 if it was; NaN without an archive.",
            server.isArchiveFailing.map { $0 ? 1 : 0 })
    }
}
