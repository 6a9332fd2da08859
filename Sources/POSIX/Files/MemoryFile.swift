import CLinux
import Glibc

/// A file that lives in memory alone and goes with its owner: what C code reads and writes by descriptor, without a
/// peer that could keep it waiting.
package struct MemoryFile: ~Copyable {
    package let descriptor: FileDescriptor

    /// A file with these contents, to be read from its first byte.
    package init(contents: [UInt8] = []) throws(POSIXError) {
        let file = try FileDescriptor(
            takingOwnership: unsafe memfd_create("gatehouse", UInt32(MFD_CLOEXEC)), from: "memfd_create")
        try file.writeAll(contents)
        guard lseek(file.number, 0, SEEK_SET) == 0 else { throw POSIXError("lseek") }
        descriptor = file
    }

    /// Everything written so far.
    package func contents() throws(POSIXError) -> [UInt8] {
        let end = lseek(descriptor.number, 0, SEEK_END)
        guard end >= 0 else { throw POSIXError("lseek") }
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(end)) { buffer, initialized in
            initialized = unsafe max(0, pread(descriptor.number, buffer.baseAddress, buffer.count, 0))
            count = initialized
        }
        guard count == Int(end) else { throw POSIXError("pread") }
        return bytes
    }

    /// Gives the descriptor away, for a borrower that has closed it already.
    package consuming func forget() {
        _ = descriptor.release()
    }
}
