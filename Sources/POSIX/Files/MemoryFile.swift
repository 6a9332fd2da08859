import CLinux
import Glibc

/// A file without a name, in memory, for what is to be written in one go and sent as a peer takes it.
package struct MemoryFile: ~Copyable, Sendable {
    package let descriptor: FileDescriptor

    package init() throws(POSIXError) {
        descriptor = try FileDescriptor(
            takingOwnership: unsafe memfd_create("gatehouse", UInt32(MFD_CLOEXEC)), from: "memfd_create")
    }

    /// Sends what a socket takes, from `offset` on, and moves the offset: `.moved` with all that was left.
    package func send(from offset: inout Int, to socket: Int32) -> Transfer {
        let start = offset
        while true {
            let count = unsafe sendfile(socket, descriptor.number, &offset, 1 << 20)
            if count == 0 { return .moved(offset - start) }
            if count < 0, errno != EINTR { return errno == EAGAIN ? .wouldBlock : .ended }
        }
    }
}
