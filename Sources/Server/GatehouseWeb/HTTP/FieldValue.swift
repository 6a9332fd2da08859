/// The value of a header field: visible ASCII, with spaces only inside (RFC 9110, section 5.5). A CR or LF would begin
/// another header, and a proxy would remove a space at either end.
package struct FieldValue: Sendable, Equatable {
    let text: String

    /// A text from outside, for example a claim of a token; nil when it is not safe to write.
    package init?(checking text: String) {
        guard Self.isSafe(text.utf8.span) else { return nil }
        self.text = text
    }

    init(_ number: Int) { text = String(number) }

    private static func isSafe(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes[0] != space, bytes[bytes.count - 1] != space else { return false }
        // Two per guarded request. Without an early exit, the compiler vectorises the loop.
        var highest: UInt8 = 0
        for index in bytes.indices { highest = max(highest, bytes[index] &- space) }
        return highest <= tilde - space
    }

    private static let space = UInt8(ascii: " ")
    private static let tilde = UInt8(ascii: "~")
}

/// Literals are checked in debug builds only.
extension FieldValue: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        assert(Self.isSafe(text.utf8.span), "a header value in the source code is not visible ASCII")
        self.text = text
    }
}
