import Glibc

/// Where connections come in. It is closed with its owner, and a socket file of its own making goes earlier, in `withdraw`.
package struct Listener: ~Copyable, Sendable {
    enum Origin: Sendable {
        case unix(SocketFile)
        case tcp
        /// Someone else's, who may hand it to the next process: it is left as it was.
        case inherited(isTCP: Bool)
    }

    package let descriptor: FileDescriptor
    private let origin: Origin

    /// As many as the kernel lets wait; a front that finds the queue full answers 502 at once.
    static let backlog: Int32 = 1024

    init(_ descriptor: consuming FileDescriptor, origin: Origin) {
        self.descriptor = descriptor
        self.origin = origin
    }

    /// The next waiting connection, or nil.
    package func accept() throws(POSIXError) -> FileDescriptor? {
        guard let accepted = try descriptor.acceptConnection() else { return nil }
        // An answer is written at once, so there is nothing to gain from the kernel's waiting for more of it.
        if isTCP { try? accepted.setOption(TCP_NODELAY, level: Int32(IPPROTO_TCP), to: 1) }
        return accepted
    }

    /// Takes the address away, if it is ours to take; true if so.
    package func withdraw() -> Bool {
        switch origin {
        case .unix(let file):
            file.removeIfOurs()
            return true
        case .tcp: return true
        case .inherited: return false
        }
    }

    /// Turns away whoever may still try. The descriptor stays open, so that its number cannot be mistaken.
    package func refuse() {
        _ = shutdown(descriptor.number, Int32(SHUT_RDWR))
    }

    /// Somebody else listens, too, and goes on when this process ends.
    package var isInherited: Bool {
        if case .inherited = origin { true } else { false }
    }

    /// The port the kernel chose where none was given.
    package var port: UInt16? { isTCP ? SocketAddress.port(of: descriptor) : nil }

    private var isTCP: Bool {
        switch origin {
        case .tcp, .inherited(isTCP: true): true
        case .unix, .inherited(isTCP: false): false
        }
    }
}
