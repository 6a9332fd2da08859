import CLinux
import Glibc
package import POSIX

extension FileDescriptor {
    /// Connects to a listener before the deadline. A unix socket with a full queue cannot be polled,
    /// so the call is repeated.
    package static func connected(
        to address: SocketAddress, until deadline: MonotonicTime
    ) throws(POSIXError) -> FileDescriptor {
        let socket = try FileDescriptor.streamSocket(family: address.family)
        while !address.connect(socket) {
            let failure = POSIXError("connect")
            switch failure.code {
            case EISCONN: return socket
            case EINTR, EALREADY, EINPROGRESS:
                guard socket.waitUntilWritable(milliseconds: deadline.millisecondsLeft) else {
                    throw POSIXError("connect", code: ETIMEDOUT)
                }
                let outcome = try socket.option(SO_ERROR)
                guard outcome == 0 else { throw POSIXError("connect", code: outcome) }
            case EAGAIN where MonotonicTime.now < deadline: Thread.pause(for: .milliseconds(10))
            default: throw failure
            }
        }
        return socket
    }
}

extension POSIXError {
    /// The listener's queue was full until the deadline: connecting failed with EAGAIN (unix) or timed out (TCP).
    package var isFullQueue: Bool { code == EAGAIN || code == ETIMEDOUT }
}
