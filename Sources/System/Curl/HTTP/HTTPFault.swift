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

    package var description: String {
        switch self {
        case .tooLarge(let limit): "the response is longer than \(limit) bytes"
        case .privateAddress: "the host has a private address"
        case .publicAddress: "the host has a public address"
        case .transport(let code, let name): "\(name) (curl \(code))"
        }
    }
}
