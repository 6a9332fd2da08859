import Glibc
package import POSIX

/// A listening socket. It is closed with its owner. A socket file that it has created is
/// removed earlier, by `withdraw`.
package struct Listener: ~Copyable, Sendable {
    enum Origin: Sendable {
        case unix(SocketFile)
        case tcp
        /// From the service manager, which may pass it to the next process: it is not shut down.
        case inherited(isTCP: Bool)
    }

    package let descriptor: FileDescriptor
    private let origin: Origin

    /// The number of connections that the kernel queues. nginx answers 502 if the queue is full.
    static let backlog: Int32 = 1024

    init(_ descriptor: consuming FileDescriptor, origin: Origin) {
        self.descriptor = descriptor
        self.origin = origin
    }

    /// The next pending connection, or nil.
    package func accept() throws(POSIXError) -> FileDescriptor? {
        guard let accepted = try descriptor.acceptConnection() else { return nil }
        // A response is written in one call, so Nagle's algorithm would only delay it.
        if isTCP { try? accepted.setOption(TCP_NODELAY, level: Int32(IPPROTO_TCP), to: 1) }
        return accepted
    }

    /// Removes the socket file, if this process has created it. False if the service manager owns the listener.
    package func withdraw() -> Bool {
        switch origin {
        case .unix(let file):
            file.removeIfUnchanged()
            return true
        case .tcp: return true
        case .inherited: return false
        }
    }

    /// The same socket for another part of this process, which neither removes nor shuts it down.
    package func shared() throws(POSIXError) -> Listener {
        let copy = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw POSIXError("duplicate a listening socket") }
        return Listener(FileDescriptor(takingOwnership: copy), origin: .inherited(isTCP: isTCP))
    }

    /// Refuses new connections. The descriptor stays open, so that its number is not reused.
    package func refuse() {
        _ = shutdown(descriptor.number, Int32(SHUT_RDWR))
    }

    /// Whether the service manager also holds this listener, and keeps it open when this process ends.
    package var isInherited: Bool {
        if case .inherited = origin { true } else { false }
    }

    /// The TCP port; the kernel has chosen it if port 0 was requested. Nil for a unix socket.
    package var port: UInt16? { isTCP ? SocketAddress.port(of: descriptor) : nil }

    private var isTCP: Bool {
        switch origin {
        case .tcp, .inherited(isTCP: true): true
        case .unix, .inherited(isTCP: false): false
        }
    }
}

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

/// Why a listener could not be opened.
package enum ListenerError: Error, Sendable, Equatable, CustomStringConvertible {
    case system(String, POSIXError)
    /// Another process listens at this path.
    case inUse(path: String)
    /// The path leads to a file that is not a socket.
    case notASocket(path: String)
    case pathTooLong(path: String)
    /// Not a numeric IPv4 or IPv6 address.
    case notAnAddress(String)
    case malformedVariable(variable: String, value: String)
    case namesMissing(descriptors: Int, names: Int)
    case severalInherited(Int)
    /// An inherited descriptor is not a listening stream socket.
    case inheritedIsNoListener(descriptor: Int32)

    package var description: String {
        switch self {
        case .system(let subject, let error): "\(subject): \(error)"
        case .inUse(let path): "\(path): another process is listening"
        case .notASocket(let path): "\(path): the file exists and is not a socket"
        case .pathTooLong(let path): "\(path): the path is too long for a unix socket"
        case .notAnAddress(let host): "\(host): not an IPv4 or IPv6 address"
        case .malformedVariable(let variable, let value): "\(variable)=\(value): not a number"
        case .namesMissing(let descriptors, let names):
            "LISTEN_FDNAMES has \(names) names for LISTEN_FDS=\(descriptors)"
        case .severalInherited(let count): "LISTEN_FDS: expected one listening socket, found \(count)"
        case .inheritedIsNoListener(let descriptor):
            "LISTEN_FDS: descriptor \(descriptor) is not a listening stream socket"
        }
    }
}

/// The file of a unix socket, identified by device and inode so that a file of another process is not removed.
struct SocketFile: Sendable {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// The current file at the path; nil if there is none.
    init?(at path: String) {
        guard let status = Self.status(of: path) else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    func removeIfUnchanged() {
        guard let status = Self.status(of: path), status.st_dev == device, status.st_ino == inode else { return }
        _ = unsafe unlink(path)
    }

    /// Removes a socket file on which no process listens, and no other file.
    static func clear(_ path: String) throws(ListenerError) {
        guard let status = status(of: path) else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        guard try isAbandoned(path) else { throw .inUse(path: path) }
        guard unsafe unlink(path) == 0 else { throw .system(path, POSIXError("unlink")) }
    }

    /// Only a refused connection proves that no process listens. EAGAIN means that a listener's queue is full.
    private static func isAbandoned(_ path: String) throws(ListenerError) -> Bool {
        let address = try SocketAddress(path: path)
        do throws(POSIXError) {
            let probe = try FileDescriptor.streamSocket(family: AF_UNIX)
            if address.connect(probe) || errno == EAGAIN { return false }
            let failure = POSIXError("connect")
            if failure.code == ECONNREFUSED { return true }
            throw failure
        } catch {
            throw .system(path, error)
        }
    }

    /// Does not follow a symbolic link.
    private static func status(of path: String) -> stat? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status : nil
    }
}
