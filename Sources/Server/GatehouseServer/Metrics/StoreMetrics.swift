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
            Family(
                "gatehouse_store_commit_writes", .histogram,
                "Writes that shared one transaction and one flush of the disk."))
        text.histogram(sizes.content)
        text.begin(
            Family(
                "gatehouse_store_commit_duration_seconds", .histogram,
                "Duration of write transactions, until they are on the disk."))
        text.histogram(durations.content)
        text.begin(
            Family("gatehouse_store_commit_failures_total", .counter, "Transactions that were not committed."))
        text.sample(failedCommits[0])
        text.begin(
            Family(
                "gatehouse_store_failures_total", .counter, "Reads and writes that failed."))
        text.sample(failures[0])
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
        text.begin(Family("gatehouse_store_readable", .gauge, "1 if the database could be read just now, 0 if not."))
        text.sample(statistics.failure == nil ? 1 : 0)
        text.begin(
            Family("gatehouse_store_commit_queue_length", .gauge, "Writes that wait for the current transaction."))
        text.sample(statistics.waitingWrites)
        writeSizes(statistics, to: &text)
        writeAppleQueue(statistics.appleBacklog ?? [], to: &text)
        if let age = revocationAge() { PostgreSQLGauges.write(age, to: &text) }
        if let server = statistics.server { return PostgreSQLGauges.write(server, to: &text) }
        text.begin(
            Family(
                "gatehouse_last_backup_timestamp_seconds", .gauge,
                "When the last verified backup was made, in seconds since 1970; 0 if there is none."))
        text.sample(statistics.backedUpAt.map { Double($0.milliseconds) / 1000 } ?? 0)
    }

    private func writeSizes(_ statistics: StoreStatistics, to text: inout Exposition) {
        text.begin(Family("gatehouse_store_size_bytes", .gauge, "Size of the database's files."))
        text.sample(statistics.databaseBytes.map(Double.init), [("file", "database")])
        // This process cannot measure the files of a database server.
        guard statistics.server == nil else { return }
        // There may be no log before the first write.
        text.sample(Double(statistics.logBytes ?? 0), [("file", "log")])
        text.begin(
            Family("gatehouse_store_filesystem_size_bytes", .gauge, "Size of the file system that holds the database."))
        text.sample(statistics.totalBytes.map(Double.init))
        text.begin(
            Family(
                "gatehouse_store_filesystem_free_bytes", .gauge,
                "Space that this process may still use on the file system that holds the database."))
        text.sample(statistics.freeBytes.map(Double.init))
    }

    private func writeAppleQueue(_ queue: [AppleBacklog], to text: inout Exposition) {
        let now = now()
        text.begin(Family("gatehouse_apple_queue_length", .gauge, "Unfinished Apple tasks, by kind."))
        for backlog in queue { text.sample(backlog.count, [("kind", backlog.kind.rawValue)]) }
        text.begin(
            Family(
                "gatehouse_apple_queue_oldest_seconds", .gauge,
                "Age of the oldest unfinished Apple task, by kind; 0 if there is none."))
        for backlog in queue {
            let age = backlog.since.map { max(0, now.milliseconds - $0.milliseconds) } ?? 0
            text.sample(Double(age) / 1000, [("kind", backlog.kind.rawValue)])
        }
    }
}
