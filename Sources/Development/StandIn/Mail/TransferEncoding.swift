import JOSE

/// The encodings of a body (RFC 2045, section 6).
enum TransferEncoding {
    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    /// Nil if the body is not what the encoding says, or the encoding is unknown.
    static func decode(_ body: ArraySlice<UInt8>, _ encoding: String) -> [UInt8]? {
        switch encoding.lowercased() {
        case "7bit": body.allSatisfy { $0 < 0x80 } ? Array(body) : nil
        case "8bit": Array(body)
        case "base64": Base64.decode(String(decoding: body.filter { !lineEnd.contains($0) }, as: UTF8.self))
        case "quoted-printable": quotedPrintable(body)
        default: nil
        }
    }

    /// An escape is `=` and two digits; `=` at the end of a line joins it with the next one.
    static func quotedPrintable(_ body: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = body
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                guard byte < 0x80 else { return nil }
                bytes.append(byte)
                continue
            }
            let escape = Array(rest.prefix(2))
            rest = rest.dropFirst(2)
            guard escape != lineEnd else { continue }
            guard escape.count == 2, let byte = UInt8(hexadecimal: escape) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}

extension UInt8 {
    fileprivate init?(hexadecimal digits: [UInt8]) {
        let text = String(decoding: digits, as: UTF8.self)
        guard text.allSatisfy(\.isHexDigit) else { return nil }
        self.init(text, radix: 16)
    }
}
