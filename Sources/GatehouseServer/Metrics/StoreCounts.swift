import GatehouseStore
import POSIX

/// What the store has done since the start, as far as it tells.
final class StoreCounts: MetricSource {
    private let sizes = Histogram(bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256])
    private let durations = Histogram.ofDurations()
    private let failedCommits = StripedCounters(count: 1)
    private let failures = StripedCounters(count: 1)

    func count(_ commit: Commit) {
        sizes.note(commit.writes)
        durations.note(commit.nanoseconds)
        if commit.hasFailed { failedCommits.add(1, to: 0) }
    }

    /// A call that got no answer.
    func countFailure() { failures.add(1, to: 0) }

    func write(to text: inout Exposition) {
        text.begin(
            Family("gatehouse_store_commit_writes", .histogram, "Writes that shared one transaction, and one sync."))
        text.histogram(sizes.content)
        text.begin(
            Family(
                "gatehouse_store_commit_duration_seconds", .histogram,
                "Transactions that write, from their beginning until they are on the disk."))
        text.histogram(durations.content)
        text.begin(
            Family("gatehouse_store_commit_failures_total", .counter, "Transactions of which nothing was committed."))
        text.sample(failedCommits[0])
        text.begin(
            Family(
                "gatehouse_store_failures_total", .counter, "Calls that the store could not answer, reads or writes."))
        text.sample(failures[0])
    }
}
