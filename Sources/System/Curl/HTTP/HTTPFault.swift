/// Why a request got no response.
package enum HTTPFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The response exceeded the limit and was not read to its end.
    case tooLarge(limit: Int)
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
        guard case .transport(let code, _) = self else { return .answer }
        // The numbers are from libcurl-errors(3).
        switch code {
        case 5, 6: return .name
        case 7: return .connection
        case 28: return .timeout
        case 35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91: return .security
        default: return .answer
        }
    }

    package var description: String {
        switch self {
        case .tooLarge(let limit): "the response is longer than \(limit) bytes"
        case .transport(let code, let name): "\(name) (curl \(code))"
        }
    }
}
