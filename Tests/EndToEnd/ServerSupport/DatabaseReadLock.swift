import Foundation
import TestSupport

/// Blocks all readers of a database, as a hanging file system would, by locking the read locks in shared memory.
final class DatabaseReadLock {
    private let descriptor: Int32

    /// SQLite's file format, "WAL-index format": the locks are bytes 120 to 127.
    init(of database: String) throws {
        descriptor = open(database + "-shm", O_RDWR | O_CLOEXEC)
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = 120
        range.l_len = 8
        guard descriptor >= 0, fcntl(descriptor, F_SETLKW, &range) == 0 else {
            throw Spawn.Failure(description: "the store could not be locked: error \(errno)")
        }
    }

    deinit { close(descriptor) }
}
