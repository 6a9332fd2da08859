import Foundation

/// The rules for the URL that an app gives to the client. A wrong one would fail with each request, as an answer 404.
enum ServerURL {
    static func fault(in url: URL) -> String? {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(), ["https", "http"].contains(scheme), parts.host?.isEmpty == false
        else { return "The URL of the server needs a scheme and a host: give one such as https://api.example.com." }
        let surplus = [
            (parts.user != nil || parts.password != nil, "no user or password"), (parts.query != nil, "no query"),
            (parts.fragment != nil, "no fragment"), (endsWithAPI(parts.path), "no /api, which the client adds"),
        ].filter(\.0).map(\.1)
        guard !surplus.isEmpty else { return nil }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        while endsWithAPI(parts.path) || parts.path.hasSuffix("/") {
            parts.path = String(parts.path.dropLast(parts.path.hasSuffix("/") ? 1 : 4))
        }
        let better = parts.string ?? "https://api.example.com"
        return "The URL of the server must have \(surplus.joined(separator: ", ")): give \(better)."
    }

    /// A path would suggest that the token is sent to that path only.
    static func fault(inOrigin url: URL) -> String? {
        guard let origin = Origin(url) else {
            return "A trusted origin needs a scheme and a host: give one such as https://files.example.com."
        }
        let isOrigin = ["", "/"].contains(url.path) && url.user == nil && url.query == nil && url.fragment == nil
        return isOrigin ? nil : "A trusted origin has a scheme, a host and a port alone: give \(origin)."
    }

    private static func endsWithAPI(_ path: String) -> Bool {
        path.split(separator: "/").last == "api"
    }
}

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
