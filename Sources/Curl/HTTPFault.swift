/// Why there was no answer.
package enum HTTPFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The answer was longer than allowed, and was not read to its end.
    case tooLarge(limit: Int)
    /// libcurl's code and its name for it; never a URL, which may carry secrets.
    case transport(code: Int, name: String)

    package var description: String {
        switch self {
        case .tooLarge(let limit): "the answer is longer than \(limit) bytes"
        case .transport(let code, let name): "\(name) (curl \(code))"
        }
    }
}
