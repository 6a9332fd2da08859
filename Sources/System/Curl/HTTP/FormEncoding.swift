/// The encoding of form fields: `application/x-www-form-urlencoded`.
package enum FormEncoding {
    static let contentType = "application/x-www-form-urlencoded"

    package static func encode(_ fields: [(String, String)]) -> [UInt8] {
        Array(fields.map { escaped($0.0) + "=" + escaped($0.1) }.joined(separator: "&").utf8)
    }

    /// Escapes every character that is not unreserved in RFC 3986. A space becomes `%20`: not every parser accepts `+`.
    package static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) { bytes.append(byte) } else { bytes += [UInt8(ascii: "%")] + hexadecimal(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
