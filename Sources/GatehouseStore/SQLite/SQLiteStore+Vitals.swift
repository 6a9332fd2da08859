package import Gatehouse
import POSIX
import SQLite

extension SQLiteStore: StoreWatch {
    package func vitals() -> StoreVitals {
        let space = try? FileSystemStatus(at: path)
        let told = try? reading { connection throws(SQLiteError) in
            (try connection.appleBacklog(), try connection.document(DocumentName.lastBackup)?.updatedAt)
        }
        return StoreVitals(
            databaseBytes: FileStatus.ifAny(at: path)?.size, logBytes: FileStatus.ifAny(at: path + "-wal")?.size,
            totalBytes: space?.totalBytes, freeBytes: space?.freeBytes, waitingWrites: writer.waitingCount,
            appleQueue: told?.0, backedUpAt: told?.1)
    }
}

extension Connection {
    /// Of each kind, also where there is nothing. Reads all of the queue, which is short unless Apple has been away for
    /// days.
    fileprivate func appleBacklog() throws(SQLiteError) -> [AppleBacklog] {
        let groups = try all(
            "SELECT kind, attempts, count(*), min(due_at) FROM apple_tasks GROUP BY kind, attempts"
        ) { row throws(SQLiteError) in
            let kind = try row.case(AppleTask.Kind.self, at: 0)
            let due = Timestamp(milliseconds: row.integer(3))
            return AppleBacklog(
                kind: kind, count: Int(row.integer(2)),
                since: AppleTask.queuedAt(kind, attempts: row.integer(1), dueAt: due))
        }
        return AppleTask.Kind.allCases.map { kind in
            let own = groups.filter { $0.kind == kind }
            return AppleBacklog(
                kind: kind, count: own.reduce(0) { $0 + $1.count }, since: own.compactMap(\.since).min())
        }
    }
}
