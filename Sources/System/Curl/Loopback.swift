import Text

/// Addresses of this machine: `localhost`, `::1` and all of 127.0.0.0/8.
package enum Loopback {
    /// Whether the host of an http or https URL is a loopback address.
    package static func isHost(of url: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: url.hasPrefix) else { return false }
        let authority = url.dropFirst(scheme.utf8.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return isHost(ofAuthority: authority)
    }

    /// Whether an authority, `host` or `host:port`, names a loopback address. An IPv6 address is in brackets.
    package static func isHost(ofAuthority authority: Substring) -> Bool {
        if let bracket = authority.lastIndex(of: "]") {
            return authority[...bracket] == "[::1]" && isPort(authority[bracket...].dropFirst())
        }
        let host = authority.prefix { $0 != ":" }
        return contains(host) && isPort(authority[host.endIndex...])
    }

    /// Whether a host name or a numeric address, without brackets, is a loopback address.
    package static func contains(_ host: some StringProtocol) -> Bool {
        host == "localhost" || host == "::1" || isIPv4Loopback(host)
    }

    private static func isIPv4Loopback(_ host: some StringProtocol) -> Bool {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8(digits: $0) != nil }
    }

    /// Whether the rest of an authority is empty, or a colon and digits.
    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.hasPrefix(":") && text.dropFirst().utf8.allSatisfy(\.isDigit)
    }
}
