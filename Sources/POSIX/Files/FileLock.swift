import Glibc

/// A lock on a file, which many share or one has alone. The kernel takes it back from a process that ends, however that
/// ends; the file stays.
package final class FileLock: Sendable {
    package enum Kind: Sendable {
        case shared
        case exclusive
    }

    private let descriptor: FileDescriptor

    /// Takes the lock of a file, and makes the file where it is missing. Nil where others have a lock that does not go
    /// with this one. A link is not followed.
    package static func take(_ path: String, _ kind: Kind) throws(POSIXError) -> FileLock? {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = try FileDescriptor(takingOwnership: unsafe open(path, flags, 0o600), from: "open \(path)")
        guard try FileStatus(of: file).kind == .file else { throw POSIXError("open \(path)", code: EINVAL) }
        guard try file.lock(kind) else { return nil }
        return FileLock(file)
    }

    /// Takes the lock of a folder alone, which leaves no file behind. Nil where another process has it.
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
    /// Locks the open file without waiting; false where others are in the way.
    func lock(_ kind: FileLock.Kind) throws(POSIXError) -> Bool {
        while flock(number, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw POSIXError("flock") }
        }
        return true
    }
}
