import Text

/// Makes the ids of rows: a prefix for the kind of row, and a ULID (48 bits of milliseconds and 80 random bits in
/// Crockford's base 32). Ids sort by creation time, so that inserts append to the end of an index.
package enum ULID {
    package static let randomBytes = 10

    /// 0 to 9, and A to Z without I, L, O and U.
    private static let alphabet: InlineArray<32, UInt8> = [
        0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39,
        0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4A, 0x4B, 0x4D, 0x4E,
        0x50, 0x51, 0x52, 0x53, 0x54, 0x56, 0x57, 0x58, 0x59, 0x5A,
    ]

    package static func make(_ prefix: String, at now: Timestamp, random: [UInt8]) -> String {
        precondition(random.count == randomBytes)
        let prefix = prefix.utf8.span
        var text: [UInt8] = []
        text.append(addingCapacity: prefix.count + 27) { text in
            for index in prefix.indices { text.append(prefix[index]) }
            text.append(UInt8(ascii: "_"))
            put(UInt64(clamping: now.milliseconds) & 0xFFFF_FFFF_FFFF, digits: 10, in: &text)
            // Five bytes are eight digits.
            put(number(random.span.extracting(first: 5)), digits: 8, in: &text)
            put(number(random.span.extracting(last: 5)), digits: 8, in: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func number(_ bytes: Span<UInt8>) -> UInt64 {
        var number: UInt64 = 0
        for index in bytes.indices { number = number << 8 | UInt64(bytes[index]) }
        return number
    }

    private static func put(_ number: UInt64, digits: Int, in text: inout OutputSpan<UInt8>) {
        for place in (0..<digits).reversed() { text.append(alphabet[Int(number >> (place * 5) & 31)]) }
    }
}

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
