/// Why there is no listener. Each one says what to look at.
package enum ListenerError: Error, Sendable, Equatable, CustomStringConvertible {
    case system(String, POSIXError)
    /// Someone answers at this path.
    case inUse(path: String)
    /// Something lies at this path that was not made by a listener.
    case notASocket(path: String)
    case pathTooLong(path: String)
    /// Not an IPv4 or IPv6 address in digits.
    case notAnAddress(String)
    case malformedInheritance(variable: String, value: String)
    case severalInherited(Int)
    /// Descriptor 3 is something else than LISTEN_FDS promised.
    case inheritedIsNoListener

    package var description: String {
        switch self {
        case .system(let subject, let error): "\(subject): \(error)"
        case .inUse(let path): "\(path): another process is listening"
        case .notASocket(let path): "\(path): exists and is not a socket"
        case .pathTooLong(let path): "\(path): longer than a socket's path can be"
        case .notAnAddress(let host): "\(host): not an IPv4 or IPv6 address"
        case .malformedInheritance(let variable, let value): "\(variable)=\(value): not a number"
        case .severalInherited(let count): "LISTEN_FDS=\(count): one listening socket is expected"
        case .inheritedIsNoListener: "LISTEN_FDS=1: descriptor 3 is not a listening stream socket"
        }
    }
}
