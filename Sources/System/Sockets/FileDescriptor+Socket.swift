import CLinux
import Glibc
package import POSIX

extension FileDescriptor {
    /// A non-blocking stream socket of an address family, closed on exec.
    package static func streamSocket(family: Int32) throws(POSIXError) -> FileDescriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        return try FileDescriptor(takingOwnership: socket(family, type, 0), from: "socket")
    }

    /// A unix datagram socket. Sending fails after the timeout if the receiver does not read.
    package static func datagramSocket(sendTimeout: Duration) throws(POSIXError) -> FileDescriptor {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = try FileDescriptor(takingOwnership: Glibc.socket(AF_UNIX, type, 0), from: "socket")
        var time = timeval(
            tv_sec: Int(sendTimeout.components.seconds),
            tv_usec: Int(sendTimeout.components.attoseconds / 1_000_000_000_000))
        let size = socklen_t(MemoryLayout<timeval>.size)
        guard unsafe setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &time, size) == 0 else {
            throw POSIXError("setsockopt")
        }
        return socket
    }

    /// The next pending connection, as a non-blocking socket; nil if none is pending.
    package func acceptConnection() throws(POSIXError) -> FileDescriptor? {
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        while true {
            let accepted = accept4(number, nil, nil, flags)
            if accepted >= 0 { return FileDescriptor(takingOwnership: accepted) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN, EINVAL: return nil  // EINVAL: the listener has been shut down.
            default: throw POSIXError("accept4")
            }
        }
    }

    /// The user of the process that has connected this unix socket, also if this process has inherited the connection. Nil
    /// for a socket of another family.
    package static func peerUser(of number: Int32) -> UInt32? {
        var user = uid_t.max
        return unsafe gatehouse_peer_user(number, &user) == 0 ? user : nil
    }

    package func option(_ name: Int32, level: Int32 = SOL_SOCKET) throws(POSIXError) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(number, level, name, &value, &size) == 0 else { throw POSIXError("getsockopt") }
        return value
    }

    package func setOption(_ name: Int32, level: Int32 = SOL_SOCKET, to value: Int32) throws(POSIXError) {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe setsockopt(number, level, name, &value, size) == 0 else { throw POSIXError("setsockopt") }
    }
}
