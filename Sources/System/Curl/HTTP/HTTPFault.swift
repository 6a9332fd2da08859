/// Why a request got no response.
package enum HTTPFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The headers of the response, or its body, exceeded the limit and were not read to its end.
    case tooLarge(limit: Int)
    /// Every address of the host is private, and the client may connect to public ones only.
    case privateAddress
    /// Every address of the host is public, and the client may connect to private ones only.
    case publicAddress
    /// The code and the error text of libcurl; never a URL, which may contain secrets.
    case transport(code: Int, name: String)

    /// The stage at which the request failed, which tells the operator where to look.
    package enum Stage: Sendable {
        /// The host name could not be resolved.
        case name
        case connection
        /// TLS failed, for instance because the certificate is not trusted.
        case security
        /// The timeout expired.
        case timeout
        case answer
    }

    package var stage: Stage {
        switch self {
        case .tooLarge: .answer
        case .privateAddress, .publicAddress: .connection
        case .transport(let code, _): Self.stage(of: code)
        }
    }

    private static func stage(of code: Int) -> Stage {
        // The numbers are from libcurl-errors(3).
        switch code {
        case 5, 6: .name
        case 7: .connection
        case 28: .timeout
        case 35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91: .security
        default: .answer
        }
    }

    /// Whose side the fault is on, as far as this machine can tell.
    package var side: String {
        switch self {
        // An invalid URL, no memory, or a key or a file of certificates of this machine that cannot be read.
        case .transport(let code, _) where [1, 2, 3, 4, 27, 53, 54, 58, 66, 77, 82].contains(code): Self.here
        // The connection was lost before the end of the answer.
        case .transport(let code, _) where [18, 52, 55, 56].contains(code): Self.silence
        case .privateAddress, .publicAddress: Self.here
        case .tooLarge, .transport:
            switch stage {
            case .name: Self.here
            case .connection: "the network between, or the other side"
            case .timeout: Self.silence
            case .security, .answer: "the other side"
            }
        }
    }

    private static let here = "this machine or its network"
    /// The side of a fault of which nothing is known but that there was no answer.
    package static let silence = "the other side, or the network between"

    package var description: String { "\(cause); look at \(side)" }

    /// The description without whose side the fault is on.
    package var cause: String {
        switch self {
        case .tooLarge(let limit): "the response is longer than \(limit) bytes"
        case .privateAddress: "the host has a private address"
        case .publicAddress: "the host has a public address"
        case .transport(let code, let name): "\(name) (curl \(code))"
        }
    }
}
