import Glibc
import Synchronization

/// A number in a file that several processes hold in memory: one counts up, and the others see it without a system call.
///
/// `@unchecked Sendable`: the memory is mapped as long as this lives, and holds nothing but an atomic.
@safe
package final class SharedCounter: @unchecked Sendable {
    private let number: UnsafeMutablePointer<Atomic<UInt64>>

    /// Opens the file, and makes it where it is missing and may be made. Nil where there is none.
    ///
    /// Throws with `ELOOP` where it is a symbolic link, and with `EMLINK` where it has another name besides: a count would
    /// change a file that is not ours.
    package static func open(_ path: String, creating: Bool) throws(POSIXError) -> SharedCounter? {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (creating ? O_CREAT : 0)
        let number = unsafe Glibc.open(path, flags, 0o600)
        guard number >= 0 else {
            if errno == ENOENT, !creating { return nil }
            throw POSIXError("open \(path)")
        }
        // The mapping outlives the descriptor.
        let descriptor = FileDescriptor(takingOwnership: number)
        guard try FileStatus(of: descriptor).isFileOfItsOwn else { throw POSIXError("open \(path)", code: EMLINK) }
        return try SharedCounter(descriptor.number, path: path)
    }

    private init(_ descriptor: Int32, path: String) throws(POSIXError) {
        let size = MemoryLayout<Atomic<UInt64>>.size
        // New bytes are zero, and a file that is long enough stays as it is. Without room of its own on the disk, a full
        // one would be a signal at the first count.
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
