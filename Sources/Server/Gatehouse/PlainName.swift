/// A short text of harmless characters, such as an identifier. An answer may repeat it to the client that sent it.
package struct PlainName: Sendable, Equatable {
    package let text: String

    private static let longest = 64

    /// Nil for a text that is empty, too long, or has other characters than letters, digits, `.`, `-` and `_`.
    package init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPlain) else { return nil }
        self.text = text
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
