import CLinux
import Glibc

extension FileDescriptor {
    /// Connects to a listener, and waits for its answer until a moment. A unix socket whose queue is full does not let
    /// itself be waited for, so it is asked again and again.
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
    /// A unix listener's queue was full whenever it was looked at, or a TCP one's never let us in.
    package var isFullQueue: Bool { code == EAGAIN || code == ETIMEDOUT }
}

extension MonotonicTime {
    /// For calls that wait: none, where the moment has passed.
    package var millisecondsLeft: Int32 { Int32(clamping: max(0, milliseconds - Self.now.milliseconds)) }
}
