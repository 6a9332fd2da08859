/// Hexadecimal digits.
package enum Hexadecimal {
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for a text that is not pairs of digits.
    package static func bytes(_ text: [UInt8]) -> [UInt8]? {
        let digits = text.compactMap(\.hexadecimalDigit)
        guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 - 10 + value }
}

/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Escapes every character that is not unreserved. In forms, a space becomes `%20` as well: not every parser accepts `+`.
    package static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 { if byte.isUnreserved { bytes.append(byte) } else { append(byte, to: &bytes) } }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The escape of one byte, in upper case.
    package static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 - 10 + value }
}

/// Fields in `application/x-www-form-urlencoded`.
package enum FormEncoding {
    package static let contentType = "application/x-www-form-urlencoded"

    package static func encode(_ fields: [(String, String)]) -> String {
        fields.map { PercentEncoding.encode($0.0) + "=" + PercentEncoding.encode($0.1) }.joined(separator: "&")
    }

    /// A name or a value: a plus is a space, and `%2B` a plus. An escape without two hexadecimal digits stays as it is.
    package static func decode(_ text: ArraySlice<UInt8>) -> (text: String, isValid: Bool) {
        let (percent, plus) = (UInt8(ascii: "%"), UInt8(ascii: "+"))
        guard text.contains(where: { $0 == percent || $0 == plus }) else {
            return (String(decoding: text, as: UTF8.self), true)
        }
        let source = text.span
        var (bytes, count, index, isValid) = ([UInt8](repeating: 0, count: source.count), 0, 0, true)
        while index < source.count {
            var byte = source[index]
            if byte == percent {
                if index + 2 < source.count, let high = source[index + 1].hexadecimalDigit,
                    let low = source[index + 2].hexadecimalDigit
                {
                    byte = high << 4 | low
                    index += 2
                } else {
                    isValid = false
                }
            } else if byte == plus {
                byte = UInt8(ascii: " ")
            }
            bytes[count] = byte
            (count, index) = (count + 1, index + 1)
        }
        return (String(decoding: bytes[..<count], as: UTF8.self), isValid)
    }
}

/// Text in HTML.
package enum HTML {
    /// For text and for attributes in quotation marks.
    package static func escape(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
