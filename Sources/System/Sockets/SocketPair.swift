import CLinux
import Glibc
package import POSIX

/// Both ends of a connection within this process (socketpair).
package struct SocketPair: ~Copyable, Sendable {
    package let near: FileDescriptor
    package let far: FileDescriptor

    package init() throws(POSIXError) {
        var ends: (Int32, Int32) = (-1, -1)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let result = unsafe withUnsafeMutableBytes(of: &ends) { ends in
            unsafe socketpair(AF_UNIX, type, 0, ends.bindMemory(to: Int32.self).baseAddress!)
        }
        guard result == 0 else { throw POSIXError("socketpair") }
        near = FileDescriptor(takingOwnership: ends.0)
        far = FileDescriptor(takingOwnership: ends.1)
    }

    /// Passes the far end to `body`, and returns the near end.
    package consuming func giveFarEnd(to body: (consuming FileDescriptor) -> Void) -> FileDescriptor {
        body(far)
        return near
    }
}
