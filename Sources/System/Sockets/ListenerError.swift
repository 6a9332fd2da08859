package import POSIX

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
