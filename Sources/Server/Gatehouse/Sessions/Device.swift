/// The user agent and address of a request. They let users recognise their sessions.
package struct Device: Sendable, Equatable {
    package var userAgent: String?
    package var address: String?

    package init(userAgent: String?, address: String?) {
        (self.userAgent, self.address) = (userAgent, address)
    }

    package static let unknown = Device(userAgent: nil, address: nil)

    /// Whether both are probably the same device: same user agent, same network. Addresses change within a network, so
    /// 24 bits of IPv4 and 64 bits of IPv6 are compared.
    package func resembles(_ other: Device) -> Bool {
        if self == other { return true }
        return userAgent == other.userAgent && Self.network(of: address) == Self.network(of: other.address)
    }

    /// Whether two user agents are probably of one kind of device: they differ in version numbers alone, as after an update.
    package static func isSameFamily(_ first: String?, _ second: String?) -> Bool {
        first == second || family(of: first ?? "") == family(of: second ?? "")
    }

    /// Without dots, underscores and the digits that follow no letter: the model in `iPhone15,3` stays.
    private static func family(of userAgent: String) -> [UInt8] {
        var (kept, isWord): ([UInt8], Bool) = ([], false)
        for byte in userAgent.utf8 {
            let isLetter = (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
            let isDigit = (0x30...0x39).contains(byte)
            if !isDigit || isWord, byte != UInt8(ascii: "."), byte != UInt8(ascii: "_") { kept.append(byte) }
            isWord = isLetter || isDigit && isWord
        }
        return kept
    }

    private static func network(of address: String?) -> String? {
        guard let address else { return nil }
        // This includes IPv4 addresses in IPv6 notation: ::ffff:192.0.2.1
        if let last = address.split(separator: ":").last, last.contains(".") {
            return last.split(separator: ".", omittingEmptySubsequences: false).prefix(3).joined(separator: ".")
        }
        return network(ofIPv6: address)
    }

    /// The first four groups, with the zeros that "::" stands for.
    private static func network(ofIPv6 address: String) -> String {
        let groups = address.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let gap = groups.firstIndex(of: "") else { return groups.prefix(4).joined(separator: ":") }
        let zeros = Array(repeating: "0", count: 4)
        return (groups[..<gap] + zeros).prefix(4).joined(separator: ":")
    }
}
