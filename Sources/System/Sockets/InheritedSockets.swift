import CLinux
import Glibc
package import POSIX

/// The sockets that the service manager passes to a new process (sd_listen_fds(3)): its listening socket, and the
/// connections that the previous process has stored with it.
package struct InheritedSockets: ~Copyable, Sendable {
    /// Nil if none was passed, or if it has been taken.
    private var listener: Listener?
    private var connections: [Int32]

    /// The number of connections of the previous process.
    package var connectionCount: Int { connections.count }

    /// The name under which connections are stored with the service manager.
    package static let connectionName = "connection"

    /// Takes ownership of the sockets that the environment announces. Call it once.
    package static func taken() throws(ListenerError) -> InheritedSockets {
        let offers = try offers(to: getpid()) { name in
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
        let (listener, connections) = try sorted(offers)
        return InheritedSockets(
            listener: try listener.map { (offer) throws(ListenerError) in
                try Listener.adopt(FileDescriptor(takingOwnership: offer.number))
            },
            connections: connections.map(\.number))
    }

    package mutating func takeListener() -> Listener? { listener.take() }

    /// Passes each valid connection to `body`, once, and closes the others.
    package mutating func claimConnections(_ body: (consuming FileDescriptor) -> Void) {
        defer { connections = [] }
        for number in connections {
            let descriptor = FileDescriptor(takingOwnership: number)
            if descriptor.isConnection, (try? descriptor.setCloseOnExec()) != nil,
                (try? descriptor.setNonBlocking()) != nil
            {
                body(descriptor)
            }
        }
    }
}

// MARK: - Environment variables

extension InheritedSockets {
    struct Offer: Equatable {
        let number: Int32
        /// Empty if LISTEN_FDNAMES is not set.
        let name: String
    }

    /// SD_LISTEN_FDS_START: the first descriptor after the standard ones.
    private static let first: Int32 = 3

    /// LISTEN_PID names the process that the sockets are for: a child process inherits the same environment.
    static func offers(to processID: Int32, variable: (String) -> String?) throws(ListenerError) -> [Offer] {
        guard let owner = variable("LISTEN_PID"), let promised = variable("LISTEN_FDS") else { return [] }
        guard let owner = Int32(owner) else { throw .malformedVariable(variable: "LISTEN_PID", value: owner) }
        guard let count = Int(promised), (0...maximumDescriptors).contains(count) else {
            throw .malformedVariable(variable: "LISTEN_FDS", value: promised)
        }
        guard owner == processID, count > 0 else { return [] }
        let numbers = (0..<count).map { first + Int32($0) }
        guard let names = variable("LISTEN_FDNAMES") else { return numbers.map { Offer(number: $0, name: "") } }
        let parts = names.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == count else { throw .namesMissing(descriptors: count, names: parts.count) }
        return zip(numbers, parts).map { Offer(number: $0, name: $1) }
    }

    /// Every descriptor that is not named as a connection is a listener, of which there may be one.
    static func sorted(_ offers: [Offer]) throws(ListenerError) -> (listener: Offer?, connections: [Offer]) {
        let listeners = offers.filter { $0.name != connectionName }
        guard listeners.count <= 1 else { throw .severalInherited(listeners.count) }
        return (listeners.first, offers.filter { $0.name == connectionName })
    }

    /// More descriptors than a process can have open.
    private static let maximumDescriptors = 1 << 20
}

extension FileDescriptor {
    /// Whether this is a stream socket that does not listen.
    fileprivate var isConnection: Bool {
        (try? option(SO_TYPE)) == Int32(SOCK_STREAM.rawValue) && (try? option(SO_ACCEPTCONN)) == 0
    }
}

extension Listener {
    /// Takes ownership of a listening stream socket. Any other descriptor stays open, since another party may use it.
    static func adopt(_ descriptor: consuming FileDescriptor) throws(ListenerError) -> Listener {
        guard let isTCP = try? isTCPListener(descriptor) else {
            throw .inheritedIsNoListener(descriptor: descriptor.release())
        }
        do throws(POSIXError) {
            try descriptor.setCloseOnExec()
            try descriptor.setNonBlocking()
        } catch {
            throw .system("LISTEN_FDS", error)
        }
        return Listener(descriptor, origin: .inherited(isTCP: isTCP))
    }

    /// Whether a listening stream socket is a TCP socket; throws for any other descriptor.
    private static func isTCPListener(_ socket: borrowing FileDescriptor) throws -> Bool {
        guard try socket.option(SO_TYPE) == Int32(SOCK_STREAM.rawValue), try socket.option(SO_ACCEPTCONN) == 1 else {
            throw ListenerError.inheritedIsNoListener(descriptor: socket.number)
        }
        return try socket.option(SO_DOMAIN) != AF_UNIX
    }
}
