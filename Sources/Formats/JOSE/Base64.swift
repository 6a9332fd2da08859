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
