import FileSystem
package import Gatehouse
import SQLite

/// Measurements of the store at one moment, for metrics. A value that cannot be read is nil.
package struct StoreStatistics: Sendable {
    package var databaseBytes: Int64?
    /// The size of the write-ahead log.
    package var logBytes: Int64?
    /// The size of the file system that holds both.
    package var totalBytes: Int64?
    package var freeBytes: Int64?
    /// Writes that wait for the current transaction.
    package var waitingWrites: Int
    /// The Apple tasks that are not done yet; nil when the database cannot be read.
    package var appleBacklog: [AppleBacklog]?
    /// When the last verified backup was made.
    package var backedUpAt: Timestamp?
    /// Why the database could not be read.
    package var failure: StoreFailure?
}

/// The unfinished Apple tasks of one kind.
package struct AppleBacklog: Sendable, Equatable {
    package let kind: AppleTask.Kind
    package let count: Int
    /// When the oldest of them was queued.
    package let since: Timestamp?
}

extension SQLiteStore {
    /// Takes little time, so it may be called every few seconds.
    package func statistics() -> StoreStatistics {
        let space = try? FileSystemStatus(at: path)
        var statistics = StoreStatistics(
            databaseBytes: FileStatus.ifAny(at: path)?.size, logBytes: FileStatus.ifAny(at: path + "-wal")?.size,
            totalBytes: space?.totalBytes, freeBytes: space?.freeBytes, waitingWrites: writer.waitingCount)
        do throws(StoreFailure) {
            (statistics.appleBacklog, statistics.backedUpAt) = try read {
                (try $0.appleBacklog(), try $0.document(DocumentName.lastBackup)?.updatedAt)
            }
        } catch {
            statistics.failure = error
        }
        return statistics
    }
}

extension Connection {
    /// One value for each kind, also when there are no tasks. It reads the whole table, which is short unless Apple has
    /// been down for days.
    fileprivate func appleBacklog() throws(SQLiteError) -> [AppleBacklog] {
        let groups = try all(
            "SELECT kind, attempts, count(*), min(due_at) FROM apple_tasks GROUP BY kind, attempts"
        ) { row in
            let kind = try row.case(AppleTask.Kind.self, at: 0)
            return AppleBacklog(
                kind: kind, count: Int(row.integer(2)),
                since: AppleTask.queuedAt(kind, attempts: row.integer(1), dueAt: row.timestamp(3)))
        }
        return AppleTask.Kind.allCases.map { kind in
            let own = groups.filter { $0.kind == kind }
            return AppleBacklog(
                kind: kind, count: own.reduce(0) { $0 + $1.count }, since: own.compactMap(\.since).min())
        }
    }
}
