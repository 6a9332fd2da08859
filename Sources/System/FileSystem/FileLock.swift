import Glibc
package import POSIX

/// A shared or exclusive lock on a file (flock). The kernel releases it when the process ends. The file is not removed.
package final class FileLock: Sendable {
    package enum Kind: Sendable {
        case shared
        case exclusive
    }

    private let descriptor: FileDescriptor

    /// Locks a file, which is created if it is missing. Nil if another process holds a conflicting lock. A symbolic
    /// link is not followed.
    package static func take(_ path: String, _ kind: Kind) throws(POSIXError) -> FileLock? {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = try FileDescriptor(takingOwnership: unsafe open(path, flags, 0o600), from: "open \(path)")
        guard try FileStatus(of: file).kind == .file else { throw POSIXError("open \(path)", code: EINVAL) }
        guard try file.lock(kind) else { return nil }
        return FileLock(file)
    }

    /// Locks a folder exclusively, without a lock file. Nil if another process holds the lock.
    package static func take(folder path: String) throws(POSIXError) -> FileLock? {
        let folder = try FileDescriptor(
            takingOwnership: unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), from: "open \(path)")
        guard try folder.lock(.exclusive) else { return nil }
        return FileLock(folder)
    }

    private init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }
}

extension FileDescriptor {
    /// Locks the open file without waiting; false if another process holds a conflicting lock.
    func lock(_ kind: FileLock.Kind) throws(POSIXError) -> Bool {
        while flock(number, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw POSIXError("flock") }
        }
        return true
    }
}
