/// The value of a header field. Every value is safe to write between a name and the end of its line: visible ASCII, with
/// spaces only inside (RFC 9110, section 5.5). A CR or LF would begin a header of its own, and a proxy would cut off a space
/// at either end and so make another value of it.
package struct FieldValue: Sendable, Equatable {
    let text: String

    /// A text from outside, a claim of a token for example; nil where it is not safe to write.
    package init?(checking text: String) {
        guard Self.isSafe(text.utf8.span) else { return nil }
        self.text = text
    }

    init(_ number: Int) { text = String(number) }

    private static func isSafe(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes[0] != space, bytes[bytes.count - 1] != space else { return false }
        // Each guarded request has two of these. Without a way out, the loop is done in strides.
        var highest: UInt8 = 0
        for index in bytes.indices { highest = max(highest, bytes[index] &- space) }
        return highest <= tilde - space
    }

    private static let space = UInt8(ascii: " ")
    private static let tilde = UInt8(ascii: "~")
}

/// Literals of our own sources cost nothing: only what comes from elsewhere is checked.
extension FieldValue: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        assert(Self.isSafe(text.utf8.span), "a header value in the source code is not visible ASCII")
        self.text = text
    }
}
