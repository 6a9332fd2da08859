import CLinux
import Glibc

/// What a service manager hands to a new process (sd_listen_fds(3)): the socket that it listens at itself, and what the
/// process before this one has given it to keep.
package struct Inheritance: ~Copyable, Sendable {
    /// Nil where none was handed over, or where it has been taken.
    private var listener: Listener?
    private let connections: [Int32]

    /// How many connections of an earlier process came along.
    package var connectionCount: Int { connections.count }

    /// Under this name connections are kept.
    package static let connectionName = "connection"

    /// Takes over what this process's environment tells of; to be done once.
    package static func taken() throws(ListenerError) -> Inheritance {
        let offers = try offers(to: getpid()) { name in
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
        let (listener, connections) = try sorted(offers)
        return Inheritance(
            listener: try listener.map { (offer) throws(ListenerError) in
                try Listener.adopt(FileDescriptor(takingOwnership: offer.number))
            },
            connections: connections.map(\.number))
    }

    private init(listener: consuming Listener?, connections: [Int32]) {
        self.listener = listener
        self.connections = connections
    }

    package mutating func takeListener() -> Listener? { listener.take() }

    /// Gives away each connection that is one.
    package consuming func claimConnections(_ body: (consuming FileDescriptor) -> Void) {
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

// MARK: - The environment's word

extension Inheritance {
    struct Offer: Equatable {
        let number: Int32
        /// Empty where descriptors come without names.
        let name: String
    }

    /// By convention the first descriptor after the standard ones.
    private static let first: Int32 = 3

    /// LISTEN_PID says whom it is for, since a child inherits the same environment.
    static func offers(to processID: Int32, variable: (String) -> String?) throws(ListenerError) -> [Offer] {
        guard let owner = variable("LISTEN_PID"), let promised = variable("LISTEN_FDS") else { return [] }
        guard let owner = Int32(owner) else { throw .malformedInheritance(variable: "LISTEN_PID", value: owner) }
        guard let count = Int(promised), (0...mostInherited).contains(count) else {
            throw .malformedInheritance(variable: "LISTEN_FDS", value: promised)
        }
        guard owner == processID, count > 0 else { return [] }
        let numbers = (0..<count).map { first + Int32($0) }
        guard let names = variable("LISTEN_FDNAMES") else { return numbers.map { Offer(number: $0, name: "") } }
        let parts = names.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == count else { throw .namesMissing(descriptors: count, names: parts.count) }
        return zip(numbers, parts).map { Offer(number: $0, name: $1) }
    }

    /// What is not known as a connection is a listener, whatever its unit calls it, and of these there may be one.
    static func sorted(_ offers: [Offer]) throws(ListenerError) -> (listener: Offer?, connections: [Offer]) {
        let listeners = offers.filter { $0.name != connectionName }
        guard listeners.count <= 1 else { throw .severalInherited(listeners.count) }
        return (listeners.first, offers.filter { $0.name == connectionName })
    }

    /// More than a process may have open.
    private static let mostInherited = 1 << 20
}

extension FileDescriptor {
    /// Whether this is a stream socket that somebody is, or was, at the other end of.
    fileprivate var isConnection: Bool {
        (try? option(SO_TYPE)) == Int32(SOCK_STREAM.rawValue) && (try? option(SO_ACCEPTCONN)) == 0
    }
}

extension Listener {
    /// Takes over a descriptor if it is what it should be. One that is not is somebody else's, and stays open.
    static func adopt(_ descriptor: consuming FileDescriptor) throws(ListenerError) -> Listener {
        guard let isTCP = try? familyOfListener(descriptor) else {
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

    /// Whether a listening stream socket is one of TCP's; throws for anything else.
    private static func familyOfListener(_ socket: borrowing FileDescriptor) throws -> Bool {
        guard try socket.option(SO_TYPE) == Int32(SOCK_STREAM.rawValue), try socket.option(SO_ACCEPTCONN) == 1 else {
            throw ListenerError.inheritedIsNoListener(descriptor: socket.number)
        }
        return try socket.option(SO_DOMAIN) != AF_UNIX
    }
}
