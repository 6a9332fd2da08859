import Gatehouse
import SQLite

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
