import Glibc
import POSIX

extension Listener {
    /// Listens on a unix socket. A socket file that a dead process has left is replaced.
    ///
    /// - Parameter owner: the user that owns the socket file, if root creates it in a folder that only root can write
    ///   to. The group is inherited from the folder (setgid) and may be nginx's.
    package static func unix(
        path: String, mode: UInt32 = 0o660, owner: UInt32? = nil
    ) throws(ListenerError) -> Listener {
        let address = try SocketAddress(path: path)
        try SocketFile.clear(path)
        do throws(POSIXError) {
            let socket = try FileDescriptor.streamSocket(family: AF_UNIX)
            try address.bind(socket)
            if let owner, unsafe lchown(path, owner, gid_t.max) != 0 { throw POSIXError("lchown") }
            // No client can connect before `listen`, so none connects with the wrong mode.
            guard unsafe chmod(path, mode) == 0 else { throw POSIXError("chmod") }
            guard let file = SocketFile(at: path) else { throw POSIXError("lstat") }
            guard listen(socket.number, backlog) == 0 else { throw POSIXError("listen") }
            return Listener(socket, origin: .unix(file))
        } catch {
            throw .system(path, error)
        }
    }

    /// Listens on an IPv4 or IPv6 address. `::` does not include IPv4.
    package static func tcp(host: String, port: UInt16) throws(ListenerError) -> Listener {
        let address = try SocketAddress(host: host, port: port)
        do throws(POSIXError) {
            let socket = try FileDescriptor.streamSocket(family: address.family)
            try socket.setOption(SO_REUSEADDR, to: 1)
            if address.family == AF_INET6 { try socket.setOption(IPV6_V6ONLY, level: Int32(IPPROTO_IPV6), to: 1) }
            try address.bind(socket)
            guard listen(socket.number, backlog) == 0 else { throw POSIXError("listen") }
            return Listener(socket, origin: .tcp)
        } catch {
            throw .system("\(host):\(port)", error)
        }
    }
}
