import CLinux
import Glibc

/// Both ends of a pipe.
package struct Pipe: ~Copyable, Sendable {
    package let reader: FileDescriptor
    package let writer: FileDescriptor
    /// How many bytes can be written into the empty pipe before a write waits for a reader.
    package let capacity: Int

    package init() throws(POSIXError) {
        var ends: (Int32, Int32) = (-1, -1)
        let made = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress!)
        }
        guard made == 0 else { throw POSIXError("pipe") }
        let reader = FileDescriptor(takingOwnership: ends.0)
        let writer = FileDescriptor(takingOwnership: ends.1)
        try reader.setCloseOnExec()
        try writer.setCloseOnExec()
        let capacity = fcntl(ends.1, F_GETPIPE_SZ)
        guard capacity > 0 else { throw POSIXError("fcntl") }
        self.reader = reader
        self.writer = writer
        self.capacity = Int(capacity)
    }

    /// Gives the reading end away, for a borrower that has closed it already.
    package consuming func forgetReader() {
        _ = reader.release()
    }
}
