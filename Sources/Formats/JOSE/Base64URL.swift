/// base64url without padding (RFC 4648, section 5, restricted by RFC 7515, section 2).
///
/// Decoding is strict: each sequence of bytes has exactly one encoding. Otherwise a client could alter the text of a
/// signed token, and evade a list of revoked or used tokens.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

    package static func encode(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8.span) }

    package static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text.span) }
}

// MARK: - Encoding

extension Base64URL {
    /// Appends the encoded text as ASCII bytes.
    static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        text.append(addingCapacity: (bytes.count * 4 + 2) / 3) { text in
            var rest = bytes
            while rest.count >= 3 {
                put(UInt32(rest[0]) << 16 | UInt32(rest[1]) << 8 | UInt32(rest[2]), 4, to: &text)
                rest = rest.extracting(droppingFirst: 3)
            }
            switch rest.count {
            case 2: put(UInt32(rest[0]) << 16 | UInt32(rest[1]) << 8, 3, to: &text)
            case 1: put(UInt32(rest[0]) << 16, 2, to: &text)
            default: break
            }
        }
    }

    /// Appends the first `count` of the four characters that encode 24 bits.
    @inline(__always)
    private static func put(_ bits: UInt32, _ count: Int, to text: inout OutputSpan<UInt8>) {
        for place in 0..<count { text.append(alphabet[Int(bits >> (18 - place * 6) & 0x3F)]) }
    }

    /// A to Z, a to z, 0 to 9, - and _. An array of literals is initialised at compile time, so an access needs no
    /// check for lazy initialisation.
    private static let alphabet: InlineArray<64, UInt8> = [
        0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x4B, 0x4C, 0x4D,
        0x4E, 0x4F, 0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A,
        0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D,
        0x6E, 0x6F, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A,
        0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x2D, 0x5F,
    ]
}

// MARK: - Decoding

extension Base64URL {
    /// Nil for characters outside the alphabet (padding, whitespace, `+` and `/` among them), for an impossible length,
    /// and if the unused bits of the last character are not zero.
    ///
    /// Decodes four characters at a time, and checks for invalid ones once at the end.
    static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var seen: UInt32 = 0
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: text.count / 4 * 3 + 2) { bytes in
            var rest = text
            while rest.count >= 4 {
                let bits = value(rest[0]) << 18 | value(rest[1]) << 12 | value(rest[2]) << 6 | value(rest[3])
                seen |= bits
                bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
                bytes.append(UInt8(truncatingIfNeeded: bits))
                rest = rest.extracting(droppingFirst: 4)
            }
            seen |= decodeLast(rest, to: &bytes)
        }
        return seen < invalid ? bytes : nil
    }

    /// Decodes the last two or three characters into one or two bytes. The unused bits must be zero.
    private static func decodeLast(_ rest: Span<UInt8>, to bytes: inout OutputSpan<UInt8>) -> UInt32 {
        guard rest.count >= 2 else { return 0 }
        var bits = value(rest[0]) << 18 | value(rest[1]) << 12
        if rest.count == 3 { bits |= value(rest[2]) << 6 }
        bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
        if rest.count == 3 { bytes.append(UInt8(truncatingIfNeeded: bits >> 8)) }
        let unused: UInt32 = rest.count == 3 ? 0xFF : 0xFFFF
        return bits & unused == 0 ? bits : invalid
    }

    @inline(__always)
    private static func value(_ character: UInt8) -> UInt32 { values[Int(character)] }

    /// Greater than every 24-bit value.
    private static let invalid: UInt32 = 1 << 24

    /// The value of each character. An invalid character has all higher bits set, so that at every position among the
    /// four some of them are above bit 24.
    private static let values: InlineArray<256, UInt32> = {
        var values = InlineArray<256, UInt32>(repeating: ~0x3F)
        for value in alphabet.indices { values[Int(alphabet[value])] = UInt32(value) }
        return values
    }()
}

/// base64 with padding (RFC 4648, section 4), as MIME, PEM and webhook signatures have it. Decoding is as strict as that of
/// `Base64URL`.
package enum Base64 {
    private static let padding = UInt8(ascii: "=")

    package static func encode(_ bytes: [UInt8]) -> String {
        var text = Base64URL.encode(bytes).utf8.map { replace($0, Self.urlAlphabet, Self.alphabet) }
        while !text.count.isMultiple(of: 4) { text.append(padding) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for another alphabet, whitespace, or padding that is missing or too long.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes = Array(text.utf8)
        guard bytes.count.isMultiple(of: 4), !bytes.contains(where: urlAlphabet.contains) else { return nil }
        for _ in 0..<2 where bytes.last == padding { bytes.removeLast() }
        return Base64URL.decode(bytes.map { replace($0, Self.alphabet, Self.urlAlphabet) })
    }

    /// The two characters in which the alphabets differ.
    private static let alphabet = Array("+/".utf8)
    private static let urlAlphabet = Array("-_".utf8)

    private static func replace(_ byte: UInt8, _ old: [UInt8], _ new: [UInt8]) -> UInt8 {
        old.firstIndex(of: byte).map { new[$0] } ?? byte
    }
}
