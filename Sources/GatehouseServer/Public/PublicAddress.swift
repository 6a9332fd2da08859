/// The https origin that clients use: `https://api.example.com`, without a path.
package struct PublicAddress: Sendable, Equatable, CustomStringConvertible {
    /// A name or an address in digits; one of IPv6 without its brackets.
    package let host: String
    package let port: UInt16
    private let isIPv6: Bool

    package init?(_ text: String) {
        guard text.hasPrefix("https://") else { return nil }
        var authority = text.dropFirst(8)
        if authority.hasSuffix("/") { authority.removeLast() }
        guard
            let match = authority.wholeMatch(
                of:
                    /(?:(?<name>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)|\[(?<address>[0-9A-Fa-f:.]+)\])(?::(?<port>[0-9]{1,5}))?/
            ), let host = match.name ?? match.address,
            let port = match.port.map({ UInt16(digits: $0) }) ?? 443, port > 0
        else { return nil }
        isIPv6 = match.address != nil
        self.host = host.lowercased()
        self.port = port
    }

    package var description: String {
        "https://" + (isIPv6 ? "[\(host)]" : host) + (port == 443 ? "" : ":\(port)")
    }

    /// Whether it leads clients to their own machine, as in development.
    package var isOfThisMachine: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host.hasPrefix("127.")
    }
}

/// What `PUBLIC_URL` says.
package enum PublicAddressSetting: Sendable, Equatable {
    /// Another machine ends TLS, or no client comes from outside: nothing is asked.
    case off
    /// Neither the setting nor the file says anything.
    case unknown
    case address(PublicAddress)

    package var address: PublicAddress? {
        if case .address(let address) = self { return address }
        return nil
    }
}
