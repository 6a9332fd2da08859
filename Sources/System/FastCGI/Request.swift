import POSIX
import Sockets

/// A request, valid while its handler runs.
package struct Request: ~Copyable {
    package let parameters: Parameters
    package let peer: Peer

    package let body: [UInt8]
    /// The body, or its announced length, exceeds `Limits.body`. `body` is empty then.
    package let bodyIsTooLarge: Bool

    package func parameter(_ name: String) -> String? {
        parameters[name].map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The process at the other end of a connection, valid while a request's handler runs.
package struct Peer: Sendable {
    let socket: Int32

    /// The user of the process. A system call, so it is made only when it is needed. Nil over TCP.
    package var user: UInt32? { FileDescriptor.peerUser(of: socket) }
}

/// The parameters of a request, valid while its handler runs.
///
/// `@unchecked Sendable`: a request is handled by one thread.
package struct Parameters: @unchecked Sendable {
    let request: FCGXRequest

    /// The value of a parameter. If a name is repeated, the first value counts: it is the one that
    /// nginx's configuration sets.
    package subscript(name: String) -> ArraySlice<UInt8>? { request.parameter(name) }

    /// Whether a name is there more than once. nginx sends a header of the client as often as the client did.
    package func hasSeveral(_ name: String) -> Bool { request.hasSeveral(name) }
}
