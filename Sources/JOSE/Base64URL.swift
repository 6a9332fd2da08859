/// base64url without padding (RFC 4648, section 5, as RFC 7515, section 2 narrows it).
///
/// Decoding is strict: one sequence of bytes has exactly one spelling. A lenient reader would let a signed token be
/// respelled at will, and a list of revoked or redeemed tokens be slipped past.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: encodedBytes(bytes.span), as: UTF8.self)
    }

    package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8.span) }

    package static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text.span) }

    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { decode(text.span) }

    /// The encoded text as ASCII bytes, for callers that go on appending.
    static func encodedBytes(_ bytes: Span<UInt8>) -> [UInt8] {
        let alphabet = alphabet
        var text = [UInt8](repeating: 0, count: (bytes.count * 4 + 2) / 3)
        var count = 0
        var bits: UInt32 = 0
        var bitCount = 0
        for index in bytes.indices {
            bits = bits << 8 | UInt32(bytes[index])
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text[count] = alphabet[Int(bits >> bitCount & 0x3F)]
                count += 1
            }
        }
        if bitCount > 0 { text[count] = alphabet[Int(bits << (6 - bitCount) & 0x3F)] }
        return text
    }

    /// Nil for padding, whitespace, `+`, `/` and all other foreign characters, for a length that no bytes encode to, and
    /// for bits beyond the last byte that are not zero.
    private static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        let values = values
        var bytes = [UInt8](repeating: 0, count: text.count * 3 / 4)
        var count = 0
        var bits: UInt32 = 0
        var bitCount = 0
        var seen: UInt8 = 0
        for index in text.indices {
            let value = values[Int(text[index])]
            seen |= value
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes[count] = UInt8(truncatingIfNeeded: bits >> bitCount)
                count += 1
            }
        }
        let unusedBits = bits & (1 << bitCount - 1)
        return seen < foreign && bitCount < 6 && unusedBits == 0 ? bytes : nil
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Above all values, which have six bits, so that one such character shows in the union of all.
    private static let foreign: UInt8 = 0x80

    /// The value of every byte as a character of the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: foreign, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
