import JOSE
import Text

/// A message or a part of one (RFC 2045): header fields and a body.
struct MIMEEntity {
    private let fields: [(name: String, value: String)]
    private let body: ArraySlice<UInt8>

    /// - Parameter bytes: with lines that end with CRLF.
    init(parsing bytes: ArraySlice<UInt8>) throws(MalformedMail) {
        var fields: [(name: String, value: String)] = []
        var rest = bytes
        while let line = Self.popLine(&rest), !line.isEmpty {
            guard line.allSatisfy({ $0.isPrintable || $0 == 0x09 }) else {
                throw MalformedMail("a header field contains other characters than ASCII")
            }
            let text = String(decoding: line, as: UTF8.self)
            if text.first == " " || text.first == "\t", let last = fields.indices.last {
                fields[last].value += text
            } else if let colon = text.firstIndex(of: ":"), colon != text.startIndex {
                fields.append((text[..<colon].lowercased(), String(text[text.index(after: colon)...])))
            } else {
                throw MalformedMail("a line of the header is not a field")
            }
        }
        self.fields = fields
        body = rest
    }

    /// Removes a line and its CRLF. Nil at the end.
    private static func popLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
        let line = rest[..<end]
        rest = rest[end...].dropFirst()
        return line.last == 0x0D ? line.dropLast() : line
    }

    /// The value of a header field, whose name is given in lower case, without the space around it.
    subscript(_ name: String) -> String? {
        fields.first { $0.name == name }.map { $0.value.trimmed }
    }
}

extension MIMEEntity {
    private static let deepest = 3

    /// The first part of a type, in depth: the one that is read first comes first (RFC 2046, section 5.1.4).
    func firstPart(ofType type: String, depth: Int = 0) throws(MalformedMail) -> MIMEEntity? {
        let content = MIMEType(self["content-type"] ?? "text/plain")
        if content.name == type { return self }
        guard content.name.hasPrefix("multipart/"), depth < Self.deepest else { return nil }
        guard let boundary = content["boundary"], !boundary.isEmpty else {
            throw MalformedMail("a part of several parts has no boundary")
        }
        for part in try parts(separatedBy: boundary) {
            if let found = try part.firstPart(ofType: type, depth: depth + 1) { return found }
        }
        return nil
    }

    private func parts(separatedBy boundary: String) throws(MalformedMail) -> [MIMEEntity] {
        let (separator, end) = (Array("--\(boundary)".utf8), Array("--\(boundary)--".utf8))
        var parts: [ArraySlice<UInt8>] = []
        var (rest, start): (ArraySlice<UInt8>, Int?) = (body, nil)
        while let line = Self.popLine(&rest) {
            let isEnd = line.elementsEqual(end)
            guard isEnd || line.elementsEqual(separator) else { continue }
            // The line end before the boundary belongs to the boundary.
            if let start { parts.append(body[start..<max(start, line.startIndex - 2)]) }
            start = rest.startIndex
            if isEnd { return try parts.map { (part) throws(MalformedMail) in try MIMEEntity(parsing: part) } }
        }
        throw MalformedMail("the last boundary is missing")
    }

    /// The body as it was before it was encoded, with lines that end with a line feed.
    var text: String {
        get throws(MalformedMail) {
            let charset = MIMEType(self["content-type"] ?? "text/plain")["charset"]?.lowercased() ?? "us-ascii"
            guard ["utf-8", "us-ascii"].contains(charset) else { throw MalformedMail("the charset is not UTF-8") }
            let encoding = self["content-transfer-encoding"] ?? "7bit"
            guard let bytes = TransferEncoding.decode(body, encoding),
                let text = String(validating: bytes, as: UTF8.self)
            else { throw MalformedMail("the text does not match its encoding or charset") }
            return text.replacing("\r\n", with: "\n")
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

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
