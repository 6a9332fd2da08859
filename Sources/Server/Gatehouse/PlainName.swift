import Text

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
        byte.isUnreserved && byte != UInt8(ascii: "~")
    }
}
