import POSIX
import SQLite

/// The one writer: runs whatever writes have queued up in one transaction, and lets each caller go only after the commit.
/// One sync of the disk serves all of them. One that fails is undone alone.
///
/// There is no thread of its own. Whoever comes while nobody is writing leads: it writes for itself at once, so that
/// a lone caller waits for nothing but the disk; those who come meanwhile queue, and the first of them leads the next
/// transaction.
///
/// `@unchecked Sendable`: the connection is used only by the leader, and `State.isLed` makes one leader at a time; the
/// lock that guards it orders one leader's use before the next one's.
final class CommitQueue: @unchecked Sendable {
    private struct State {
        var waiting: [Write] = []
        var isLed = false
    }

    /// Bounds how long the first of a crowd waits for the last.
    private static let largestBatch = 256

    // Closed before the writer's own connection, as every reader.
    private let standing: StandingRead?
    private let connection: Connection
    private let observe: @Sendable (Commit) -> Void
    private let state = Monitor(State())

    /// - Parameter observe: told of each transaction that has written or failed, by the leader and before anybody is let go.
    init(
        _ connection: Connection, beside standing: StandingRead? = nil,
        observe: @escaping @Sendable (Commit) -> Void = { _ in }
    ) {
        self.connection = connection
        self.standing = standing
        self.observe = observe
    }

    /// How many writes wait for those before them.
    var waitingCount: Int { state.change { $0.waiting.count } }

    /// Runs a write; what it returns has been committed when this returns.
    ///
    /// - Parameter body: does nothing but to the database: it may run more than once, and by any thread.
    func perform<Result>(
        _ body: @escaping (Connection) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        var result: Result?
        try commit(Write { connection throws(SQLiteError) in result = try body(connection) })
        guard let result else { preconditionFailure("a write that has not failed has run") }
        return result
    }

    private func commit(_ write: Write) throws(SQLiteError) {
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
            observe(Commit(writes: batch.count, nanoseconds: watch.nanoseconds, hasFailed: failure != nil))
        }
        if let failure, failure.isBusy { batch += giveUp(failure) }
        let next = state.change { state in
            state.isLed = !state.waiting.isEmpty
            return state.waiting.first
        }
        next?.wake(to: .lead)
        for write in batch { write.wake(to: .finished) }
    }

    /// Another process holds the file. Who came while we waited for it fails with us: each waiting as long again, one
    /// after the other, would hold every thread there is.
    private func giveUp(_ failure: SQLiteError) -> [Write] {
        let stranded = state.change { state in
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for write in stranded { write.failure = failure }
        return stranded
    }

    /// Why none of a batch has been committed; nil where it has.
    private func run(_ batch: [Write]) -> SQLiteError? {
        do {
            try connection.run("BEGIN IMMEDIATE")
            if !allSucceed(batch) {
                if !connection.isInAutocommit { try connection.run("ROLLBACK") }
                try connection.run("BEGIN IMMEDIATE")
                for write in batch { try run(write) }
            }
            try connection.run("COMMIT")
            return nil
        } catch {
            // Nothing of this batch has been committed, whatever each write thought of itself.
            if !connection.isInAutocommit { _ = try? connection.run("ROLLBACK") }
            for write in batch { write.failure = write.failure ?? error }
            return error
        }
    }

    /// To undo one alone takes a copy of every page that is written, and hardly ever does one fail: they are run without,
    /// and all over again where one has failed.
    private func allSucceed(_ batch: [Write]) -> Bool {
        for write in batch {
            do { try write.body(connection) } catch { return false }
        }
        return true
    }

    /// A write that fails alone is undone alone. Throws where the whole transaction is lost.
    private func run(_ write: Write) throws(SQLiteError) {
        try connection.run("SAVEPOINT one")
        do {
            try write.body(connection)
        } catch {
            write.failure = error
            // A full disk, for one, makes SQLite give up the whole transaction by itself.
            guard !connection.isInAutocommit else { throw error }
            try connection.run("ROLLBACK TO one")
        }
        try connection.run("RELEASE one")
    }
}
