import Text

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
            let isLetter = byte.isLetter || byte >= 0x80
            if !byte.isDigit || isWord, byte != UInt8(ascii: "."), byte != UInt8(ascii: "_") { kept.append(byte) }
            isWord = isLetter || byte.isDigit && isWord
        }
        return kept
    }

    /// Of a text that is no address, the text.
    private static func network(of address: String?) -> String? {
        address.map { ClientNetwork(ofAddress: $0, bits: 64)?.text ?? $0 }
    }
}
