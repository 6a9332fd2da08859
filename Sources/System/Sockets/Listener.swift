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
