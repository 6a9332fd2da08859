import Text

/// The address of a mail server, such as `smtps://mail.example.com:465` or `smtp://127.0.0.1:25`.
package struct SMTPServer: Sendable, Equatable {
    /// With the port, and without a path.
    package let url: String
    package let isLoopback: Bool
    /// Whether TLS begins with the connection. Otherwise the server is asked for it (STARTTLS).
    package let startsWithTLS: Bool

    /// The ports of RFC 8314 and RFC 6409.
    private static let schemes = [
        (prefix: "smtps://", port: 465, startsWithTLS: true), (prefix: "smtp://", port: 587, startsWithTLS: false),
    ]

    /// Nil unless the text is a scheme, a host and, optionally, a port: the user, the password and the name for EHLO have
    /// settings of their own.
    package init?(_ text: String) {
        guard let scheme = Self.schemes.first(where: { text.hasPrefix($0.prefix) }) else { return nil }
        var authority = text.dropFirst(scheme.prefix.count)
        if authority.hasSuffix("/") { authority = authority.dropLast() }
        guard let (host, port) = Self.parts(of: authority) else { return nil }
        url = "\(scheme.prefix)\(host):\(port ?? scheme.port)"
        isLoopback = Loopback.isHost(ofAuthority: authority)
        startsWithTLS = scheme.startsWithTLS
    }

    private static func parts(of authority: Substring) -> (host: Substring, port: Int?)? {
        let bracket = authority.hasPrefix("[") ? authority.lastIndex(of: "]") : authority.startIndex
        guard let bracket else { return nil }
        let colon = authority[bracket...].firstIndex(of: ":") ?? authority.endIndex
        let host = authority[..<colon]
        guard isHost(host) else { return nil }
        guard colon < authority.endIndex else { return (host, nil) }
        let digits = authority[authority.index(after: colon)...]
        guard let port = UInt16(digits: digits), port > 0 else { return nil }
        return (host, Int(port))
    }

    /// A name, an IPv4 address, or an IPv6 address in brackets. The resolver and the certificate decide the rest.
    private static func isHost(_ host: Substring) -> Bool {
        let isNumeric = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isNumeric ? host.dropFirst().dropLast() : host
        let others = isNumeric ? ":." : "-."
        return !name.isEmpty && name.utf8.allSatisfy { $0.isAlphanumeric || others.utf8.contains($0) }
    }
}
