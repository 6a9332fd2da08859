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
    /// Nil if the database is a file.
    package var server: ServerStatistics?
}

extension SQLiteStore: ServerStore {
    package func statistics() -> StoreStatistics {
        let space = try? FileSystemStatus(at: path)
        var statistics = StoreStatistics(
            databaseBytes: FileStatus.ifAny(at: path)?.size, logBytes: FileStatus.ifAny(at: path + "-wal")?.size,
            totalBytes: space?.totalBytes, freeBytes: space?.freeBytes, waitingWrites: writer.waitingCount)
        do throws(StoreFailure) {
            try probeFiles()
            (statistics.appleBacklog, statistics.backedUpAt) = try read {
                (try $0.appleBacklog(), try $0.document(DocumentName.lastBackup)?.updatedAt)
            }
        } catch {
            statistics.failure = error
        }
        return statistics
    }
}
