/// Why there was no answer.
package enum HTTPFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The answer was longer than allowed, and was not read to its end.
    case tooLarge(limit: Int)
    /// libcurl's code and its name for it; never a URL, which may carry secrets.
    case transport(code: Int, name: String)

    /// How far it came, which is where to look.
    package enum Stage: Sendable {
        /// The server's address was not found.
        case name
        case connection
        /// TLS: the certificate is not believed, for one.
        case security
        case patience
        case answer
    }

    package var stage: Stage {
        guard case .transport(let code, _) = self else { return .answer }
        // By the numbers of libcurl-errors(3).
        switch code {
        case 5, 6: return .name
        case 7: return .connection
        case 28: return .patience
        case 35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91: return .security
        default: return .answer
        }
    }

    package var description: String {
        switch self {
        case .tooLarge(let limit): "the answer is longer than \(limit) bytes"
        case .transport(let code, let name): "\(name) (curl \(code))"
        }
    }
}
