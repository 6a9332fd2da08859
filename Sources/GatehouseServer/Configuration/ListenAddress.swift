/// Where the responder waits for nginx.
package enum ListenAddress: Sendable, Equatable, CustomStringConvertible {
    case unix(path: String)
    case tcp(host: String, port: UInt16)

    /// Reads `unix:/path` or `tcp:host:port`.
    init?(_ text: String) {
        if text.hasPrefix("unix:/"), text.utf8.count <= 5 + Self.longestPath {
            self = .unix(path: String(text.dropFirst(5)))
        } else if text.hasPrefix("tcp:"), let colon = text.lastIndex(of: ":"),
            colon > text.index(text.startIndex, offsetBy: 3),
            let port = UInt16(digits: text[text.index(after: colon)...])
        {
            let host = text[text.index(text.startIndex, offsetBy: 4)..<colon].filter { $0 != "[" && $0 != "]" }
            guard !host.isEmpty else { return nil }
            self = .tcp(host: host, port: port)
        } else {
            return nil
        }
    }

    /// A socket's path has to fit the kernel's `sun_path`, its closing NUL included.
    private static let longestPath = 107

    package var description: String {
        switch self {
        case .unix(let path): "unix:" + path
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        }
    }
}
