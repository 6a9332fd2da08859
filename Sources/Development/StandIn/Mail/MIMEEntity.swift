/// A message or a part of one (RFC 2045): header fields and a body.
struct MIMEEntity {
    private let fields: [(name: String, value: String)]
    private let body: ArraySlice<UInt8>

    /// - Parameter bytes: with lines that end with CRLF.
    init(parsing bytes: ArraySlice<UInt8>) throws(MalformedMail) {
        var fields: [(name: String, value: String)] = []
        var rest = bytes
        while let line = Self.popLine(&rest), !line.isEmpty {
            guard line.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
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
