import JOSE

/// base64 with padding (RFC 4648, section 4).
enum Base64 {
    /// Nil for anything but the one encoding of some bytes.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.prefix { $0 != "=" }
        guard text.utf8.count.isMultiple(of: 4), text.dropFirst(digits.count).allSatisfy({ $0 == "=" }),
            text.count - digits.count <= 2, !text.contains("-"), !text.contains("_")
        else { return nil }
        return Base64URL.decode(String(digits).replacing("+", with: "-").replacing("/", with: "_"))
    }
}
