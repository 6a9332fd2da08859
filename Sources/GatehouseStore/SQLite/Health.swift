package import Gatehouse
import POSIX
import SQLite
import Synchronization

/// What a health check asks of a store.
package protocol ProbedStore: Sendable {
    /// Reads one row.
    func probeReading() throws(StoreFailure)

    /// Commits a small write.
    func probeWriting() throws(StoreFailure)

    /// The outcome of the last write of any request; nil before the first.
    var lastWrite: WriteOutcome? { get }
}

/// The outcome of a write.
package struct WriteOutcome: Sendable {
    /// Nil when the write was committed.
    package let failure: StoreFailure?
    package let moment: ContinuousClock.Instant

    package init(failure: StoreFailure?, at moment: ContinuousClock.Instant) {
        self.failure = failure
        self.moment = moment
    }
}

extension SQLiteStore: ProbedStore {
    /// A document of its own, which every probe overwrites.
    private static let probeName = "probe"

    package func probeReading() throws(StoreFailure) {
        _ = try read { try $0.document(Self.probeName) }
    }

    package func probeWriting() throws(StoreFailure) {
        let now = Timestamp(milliseconds: WallClock.millisecondsSince1970())
        try write { try $0.keep(Document(content: [], updatedAt: now), as: Self.probeName) }
    }

    package var lastWrite: WriteOutcome? { lastOutcome.withLock { $0 } }
}

extension SQLiteError {
    /// By the primary result code, except where only the extended code tells a write from a read.
    var cause: StoreFailure.Cause {
        switch code {
        // SQLITE_IOERR_WRITE, _FSYNC, _DIR_FSYNC, _TRUNCATE, _SHMSIZE
        case 778, 1034, 1290, 1546, 4874: return .unwritable
        default: break
        }
        return switch code & 0xFF {
        case 5, 6: .busy
        case 8: .readOnly
        case 13: .full
        case 11, 26: .damaged
        case 10, 14, 23: .unreadable
        default: .other
        }
    }
}
