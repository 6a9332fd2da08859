import POSIX
import SQLite

/// The group commit: runs the writes that have queued up in one transaction, and releases each caller after the commit.
/// One flush of the disk serves all of them. A write that fails is rolled back alone. The thread of one of the callers
/// does that for all, the leader (`BatchQueue`).
///
/// `@unchecked Sendable`: the connection is used by the leader only, and the queue orders the use by one leader before the
/// use by the next.
final class CommitQueue: @unchecked Sendable {
    // Closed before the writer's connection, like every reader.
    private let standing: StandingRead?
    private let connection: Connection
    private let onCommit: @Sendable (Commit) -> Void
    private let queue = BatchQueue<PendingWrite>()

    /// - Parameter onCommit: called by the leader for each transaction that has written or failed, before its callers
    ///   continue.
    init(
        _ connection: Connection, beside standing: StandingRead? = nil,
        onCommit: @escaping @Sendable (Commit) -> Void = { _ in }
    ) {
        (self.connection, self.standing, self.onCommit) = (connection, standing, onCommit)
    }

    /// The number of writes that wait for the current transaction.
    var waitingCount: Int { queue.waitingCount }

    /// Runs a write. It has been committed when this returns.
    ///
    /// - Parameter body: must only use the connection: it may run more than once, and on any thread.
    func perform<Result>(_ body: @escaping (Connection) throws -> Result) throws(SQLiteError) -> Result {
        var result: Result?
        let write = PendingWrite { connection in result = try body(connection) }
        queue.perform(write, run: commit)
        if let failure = write.failure { throw failure }
        guard let result else { preconditionFailure("a write that did not fail has run") }
        return result
    }

    private func commit(_ batch: [PendingWrite]) -> BatchQueue<PendingWrite>.Next {
        let watch = Stopwatch()
        let before = connection.totalChanges
        standing?.suspend()
        let failure = run(batch)
        standing?.resume()
        if failure != nil || connection.totalChanges != before {
            onCommit(Commit(writes: batch.count, nanoseconds: watch.nanoseconds, hasFailed: failure != nil))
        }
        // Another process holds the database.
        guard let failure, failure.isBusy else { return .run }
        return .fail { $0.failure = failure }
    }

    /// Nil when the batch was committed.
    private func run(_ batch: [PendingWrite]) -> SQLiteError? {
        do {
            try connection.run("BEGIN IMMEDIATE")
            if !runWithoutSavepoints(batch) {
                if !connection.isInAutocommit { try connection.run("ROLLBACK") }
                try connection.run("BEGIN IMMEDIATE")
                for write in batch { try runInSavepoint(write) }
            }
            try connection.run("COMMIT")
            return nil
        } catch {
            // Nothing of the batch was committed, so the writes that succeeded have failed as well.
            if !connection.isInAutocommit { _ = try? connection.run("ROLLBACK") }
            for write in batch { write.failure = write.failure ?? error }
            return error
        }
    }

    /// False when a write has failed. A savepoint copies every page that is written, and writes rarely fail. So a batch
    /// first runs without savepoints, and is repeated with them only after a failure.
    private func runWithoutSavepoints(_ batch: [PendingWrite]) -> Bool {
        for write in batch {
            do { try write.body(connection) } catch { return false }
        }
        return true
    }

    /// Rolls back a write that fails. Throws when the whole transaction is lost.
    private func runInSavepoint(_ write: PendingWrite) throws(SQLiteError) {
        try connection.run("SAVEPOINT one")
        do {
            try write.body(connection)
        } catch {
            let failure = SQLiteError(error)
            write.failure = failure
            // After some errors, such as a full disk, SQLite itself rolls back the whole transaction.
            guard !connection.isInAutocommit else { throw failure }
            try connection.run("ROLLBACK TO one")
        }
        try connection.run("RELEASE one")
    }
}

/// A queued write. `@unchecked Sendable` as its superclass.
private final class PendingWrite: QueuedWork, @unchecked Sendable {
    let body: (Connection) throws -> Void
    var failure: SQLiteError?

    init(_ body: @escaping (Connection) throws -> Void) {
        self.body = body
    }
}

/// A transaction of the commit queue.
package struct Commit: Sendable, Equatable {
    /// The number of callers that waited for it.
    package let writes: Int
    package let nanoseconds: Int
    /// Whether the whole transaction failed. A write that failed alone does not count.
    package let hasFailed: Bool
}
