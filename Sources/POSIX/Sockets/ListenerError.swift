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
    case namesMissing(descriptors: Int, names: Int)
    case severalInherited(Int)
    /// A descriptor is something else than LISTEN_FDS promised.
    case inheritedIsNoListener(descriptor: Int32)

    package var description: String {
        switch self {
        case .system(let subject, let error): "\(subject): \(error)"
        case .inUse(let path): "\(path): another process is listening"
        case .notASocket(let path): "\(path): exists and is not a socket"
        case .pathTooLong(let path): "\(path): longer than a socket's path can be"
        case .notAnAddress(let host): "\(host): not an IPv4 or IPv6 address"
        case .malformedInheritance(let variable, let value): "\(variable)=\(value): not a number"
        case .namesMissing(let descriptors, let names):
            "LISTEN_FDNAMES has \(names) names for LISTEN_FDS=\(descriptors)"
        case .severalInherited(let count): "LISTEN_FDS: one listening socket is expected, and \(count) are there"
        case .inheritedIsNoListener(let descriptor):
            "LISTEN_FDS: descriptor \(descriptor) is not a listening stream socket"
        }
    }
}
