import Foundation

/// Scheme, host and port of a URL.
struct Origin: Hashable {
    let scheme: String
    let host: String
    let port: Int

    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased(), !host.isEmpty else {
            return nil
        }
        guard let port = url.port ?? Self.defaultPorts[scheme] else { return nil }
        (self.scheme, self.host, self.port) = (scheme, host, port)
    }

    static let defaultPorts = ["https": 443, "http": 80]

    /// Whether a token that is sent there is protected: by TLS, or because it stays on this device.
    var isSafe: Bool {
        scheme == "https" || (scheme == "http" && ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host))
    }
}

extension Origin: CustomStringConvertible {
    var description: String { "\(scheme)://\(host):\(port)" }
}
