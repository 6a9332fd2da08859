package import Gatehouse
import POSIX
import SQLite
import Synchronization

extension SQLiteStore: ProbedStore {
    /// One row of its own, among the documents: it is written over and over, and nothing grows by it.
    private static let probeName = "probe"

    package func probeReading() throws(StoreFailure) {
        _ = try reading { connection throws(SQLiteError) in try connection.document(Self.probeName) }
    }

    package func probeWriting() throws(StoreFailure) {
        let now = Timestamp(milliseconds: WallClock.millisecondsSince1970())
        try writing { connection throws(SQLiteError) in
            try connection.keep(Document(content: [], updatedAt: now), as: Self.probeName)
        }
    }

    package var lastWrite: WriteOutcome? { outcome.withLock { $0 } }
}

extension SQLiteError {
    /// By the primary result code, but where the extended one tells writing from reading.
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
