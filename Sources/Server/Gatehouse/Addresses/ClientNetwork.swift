import Text

/// The network of a client's IP address, by which codes and guests are limited (`CodeLimits`); nginx limits all other sign-ins.
///
/// One party often has all addresses of a network. A host at a provider gets 64 bits of IPv6 and more: if more than 48 bits
/// were compared, one party would have thousands of networks.
package struct ClientNetwork: Sendable, Hashable {
    /// The first 24 bits of an IPv4 address (`192.0.2.0/24`) or the first bits of an IPv6 address (`2001:db8::/48`).
    package let text: String

    /// Nil for a text that is not the address of one host: with a zone, a port, brackets or a prefix length.
    ///
    /// - Parameter bits: of an IPv6 address.
    package init?(ofAddress address: String, bits: Int = 48) {
        if let bytes = Self.ipv4(address[...]) {
            text = Self.text(ipv4: bytes)
        } else if let groups = Self.ipv6(address) {
            text = Self.embedded(groups).map(Self.text(ipv4:)) ?? Self.text(ipv6: groups, bits: bits)
        } else {
            return nil
        }
    }

    private static func text(ipv4 bytes: [UInt8]) -> String { "\(bytes[0]).\(bytes[1]).\(bytes[2]).0/24" }

    /// As RFC 5952 writes it. The zeros at the end are always the longest row of zeros.
    private static func text(ipv6 groups: [UInt16], bits: Int) -> String {
        var network = groups.prefix(bits / 16)
        while network.last == 0 { network.removeLast() }
        return network.map { String($0, radix: 16) }.joined(separator: ":") + "::/\(bits)"
    }

    /// What stands for one client: the IPv4 address, or the 64 bits of an IPv6 address, because one phone has all of it.
    package static func clientKey(ofAddress address: String) -> String {
        guard let groups = ipv6(address) else { return address }
        return embedded(groups).map { $0.map(String.init).joined(separator: ".") } ?? text(ipv6: groups, bits: 64)
    }

    /// The IPv4 address that a socket for both families writes as `::ffff:192.0.2.1`.
    private static func embedded(_ groups: [UInt16]) -> [UInt8]? {
        guard groups.prefix(5).allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF else { return nil }
        return groups.suffix(2).flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }
}

extension ClientNetwork {
    /// Four decimal numbers without leading zeros, which some programs read as octal.
    private static func ipv4(_ text: Substring) -> [UInt8]? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let bytes = parts.compactMap { part -> UInt8? in
            guard part.allSatisfy(\.isDigit) else { return nil }
            guard part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            return UInt8(String(decoding: part, as: UTF8.self))
        }
        return bytes.count == 4 ? bytes : nil
    }

    /// The eight groups of an IPv6 address (RFC 4291, section 2.2).
    private static func ipv6(_ text: String) -> [UInt16]? {
        guard text.utf8.count <= 45 else { return nil }
        guard let gap = text.firstRange(of: "::") else {
            guard let groups = groups(text[...], isLast: true), groups.count == 8 else { return nil }
            return groups
        }
        guard let head = groups(text[..<gap.lowerBound], isLast: false),
            let tail = groups(text[gap.upperBound...], isLast: true), head.count + tail.count < 8
        else { return nil }
        return head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    /// - Parameter isLast: the end of an address, which may be written as an IPv4 address.
    private static func groups(_ text: Substring, isLast: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var parts = text.split(separator: ":", maxSplits: 8, omittingEmptySubsequences: false)
        var tail: [UInt16] = []
        if isLast, let bytes = parts.last.flatMap(ipv4) {
            parts.removeLast()
            tail = [UInt16(bytes[0]) << 8 | UInt16(bytes[1]), UInt16(bytes[2]) << 8 | UInt16(bytes[3])]
        }
        let groups = parts.compactMap(group)
        return groups.count == parts.count ? groups + tail : nil
    }

    private static func group(_ text: Substring) -> UInt16? {
        guard (1...4).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "+") else { return nil }
        return UInt16(text, radix: 16)
    }
}
