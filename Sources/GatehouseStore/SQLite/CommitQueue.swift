import POSIX
import SQLite
import Threading

/// The group commit: runs the writes that have queued up in one transaction, and releases each caller after the commit.
/// One flush of the disk serves all of them. A write that fails is rolled back alone.
///
/// It has no thread of its own. A caller that finds no leader becomes the leader and runs its write at once,
/// so a single caller waits only for the disk. Callers that arrive meanwhile queue up, and the first of them
/// leads the next transaction.
///
/// `@unchecked Sendable`: the connection is used by the leader only, and `State.isLed` allows one leader at a time. The
/// lock around `isLed` orders the use by one leader before the use by the next.
final class CommitQueue: @unchecked Sendable {
    private struct State {
        var waiting: [PendingWrite] = []
        var isLed = false
    }

    /// Limits how long the first of a batch waits for the last.
    private static let largestBatch = 256

    // Closed before the writer's connection, like every reader.
    private let standing: StandingRead?
    private let connection: Connection
    private let onCommit: @Sendable (Commit) -> Void
    private let state = Monitor(State())

    /// - Parameter onCommit: called by the leader for each transaction that has written or failed, before its callers
    ///   continue.
    init(
        _ connection: Connection, beside standing: StandingRead? = nil,
        onCommit: @escaping @Sendable (Commit) -> Void = { _ in }
    ) {
        self.connection = connection
        self.standing = standing
        self.onCommit = onCommit
    }

    /// The number of writes that wait for the current transaction.
    var waitingCount: Int { state.change { $0.waiting.count } }

    /// Runs a write. It has been committed when this returns.
    ///
    /// - Parameter body: must only use the connection: it may run more than once, and on any thread.
    func perform<Result>(_ body: @escaping (Connection) throws -> Result) throws(SQLiteError) -> Result {
        var result: Result?
        try commit(PendingWrite { connection in result = try body(connection) })
        guard let result else { preconditionFailure("a write that did not fail has run") }
        return result
    }

    private func commit(_ write: PendingWrite) throws(SQLiteError) {
        let leads = state.change { state in
            state.waiting.append(write)
            defer { state.isLed = true }
            return !state.isLed
        }
        if leads || write.waitForTurn() == .lead { lead() }
        if let failure = write.failure { throw failure }
    }

    private func lead() {
        var batch = state.change { state in
            let batch = Array(state.waiting.prefix(Self.largestBatch))
            state.waiting.removeFirst(batch.count)
            return batch
        }
        let watch = Stopwatch()
        let before = connection.totalChanges
        standing?.suspend()
        let failure = BlockingHint.around { run(batch) }
        standing?.resume()
        if failure != nil || connection.totalChanges != before {
            onCommit(Commit(writes: batch.count, nanoseconds: watch.nanoseconds, hasFailed: failure != nil))
        }
        if let failure, failure.isBusy { batch += failWaiting(with: failure) }
        let next = state.change { state in
            state.isLed = !state.waiting.isEmpty
            return state.waiting.first
        }
        next?.wake(to: .lead)
        for write in batch { write.wake(to: .finished) }
    }

    /// Another process holds the database. The writes that arrived during the wait fail as well: if each waited again,
    /// one after the other, every worker would be blocked.
    private func failWaiting(with failure: SQLiteError) -> [PendingWrite] {
        let waiting = state.change { state in
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for write in waiting { write.failure = failure }
        return waiting
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

/// A queued write, and the thread that waits for it.
///
/// `@unchecked Sendable`: the leader uses it between the queue's mutex and `wake`, the waiting thread after
/// `waitForTurn`. The semaphore separates the two.
private final class PendingWrite: @unchecked Sendable {
    enum Turn {
        /// It was committed, or has failed.
        case finished
        /// It has not run yet: this thread leads the next transaction.
        case lead
    }

    let body: (Connection) throws -> Void
    var failure: SQLiteError?
    private var turn = Turn.finished
    private let call = Semaphore()

    init(_ body: @escaping (Connection) throws -> Void) {
        self.body = body
    }

    func waitForTurn() -> Turn {
        BlockingHint.around { call.wait() }
        return turn
    }

    func wake(to turn: Turn) {
        self.turn = turn
        call.post()
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
