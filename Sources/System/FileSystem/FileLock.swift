import Glibc
package import POSIX
import Synchronization

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

/// A counter in a memory-mapped file: other processes see an increment without a system call.
///
/// `@unchecked Sendable`: the memory stays mapped for the lifetime of this object and holds only an atomic.
@safe
package final class SharedCounter: @unchecked Sendable {
    private let number: UnsafeMutablePointer<Atomic<UInt64>>

    /// Opens the file. If it is missing, it is created, or the result is nil if `creating` is false.
    ///
    /// Throws `ELOOP` for a symbolic link and `EMLINK` for a file with several hard links: an increment would change a
    /// file of another owner.
    package static func open(_ path: String, creating: Bool) throws(POSIXError) -> SharedCounter? {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (creating ? O_CREAT : 0)
        let number = unsafe Glibc.open(path, flags, 0o600)
        guard number >= 0 else {
            if errno == ENOENT, !creating { return nil }
            throw POSIXError("open \(path)")
        }
        // The mapping outlives the descriptor.
        let descriptor = FileDescriptor(takingOwnership: number)
        guard try FileStatus(of: descriptor).isFileWithOneName else { throw POSIXError("open \(path)", code: EMLINK) }
        return try SharedCounter(descriptor.number, path: path)
    }

    private init(_ descriptor: Int32, path: String) throws(POSIXError) {
        let size = MemoryLayout<Atomic<UInt64>>.size
        // New bytes are zero, and a file that is long enough is not changed. Without allocated space, an increment on a
        // full disk would raise SIGBUS.
        let failure = posix_fallocate(descriptor, 0, size)
        guard failure == 0 else { throw POSIXError("posix_fallocate \(path)", code: failure) }
        let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { throw POSIXError("mmap \(path)") }
        unsafe number = memory.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
    }

    deinit {
        unsafe munmap(number, MemoryLayout<Atomic<UInt64>>.size)
    }

    package var value: UInt64 { unsafe number.pointee.load(ordering: .acquiring) }

    package func increment() {
        unsafe number.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
}
