import POSIX
import SQLite

/// A write on its way to the disk, and the thread that waits for it.
///
/// `@unchecked Sendable`: the leader touches it after the queue's mutex handed it over and before `wake`, the waiting
/// thread after `waitForTurn`; the call is between them, so the uses never overlap.
final class Write: @unchecked Sendable {
    enum Turn {
        /// It has been committed, or has failed.
        case finished
        /// It has not been looked at: this thread is to run the next transaction.
        case lead
    }

    let body: (Connection) throws(SQLiteError) -> Void
    var failure: SQLiteError?
    private var turn = Turn.finished
    private let call = Semaphore()

    init(_ body: @escaping (Connection) throws(SQLiteError) -> Void) {
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
