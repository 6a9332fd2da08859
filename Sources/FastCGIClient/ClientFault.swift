package import POSIX

/// Why a question to a responder got no answer.
package enum ClientFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// Nobody listens, or not to us.
    case unreachable(POSIXError)
    /// The connection was closed before the first byte: as a responder does that has too many already.
    case turnedAway
    case brokenOff
    case late
    case tooLong
    case malformed

    package var description: String {
        switch self {
        case .unreachable(let error): "\(error)"
        case .turnedAway: "the connection was closed without an answer"
        case .brokenOff: "the connection ended within the answer"
        case .late: "there was no answer in time"
        case .tooLong: "the answer is longer than it may be"
        case .malformed: "the answer is not one of FastCGI"
        }
    }
}
