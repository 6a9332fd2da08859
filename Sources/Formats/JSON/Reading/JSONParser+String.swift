import Text

extension JSONParser {
    /// Reads a string, from its opening to its closing quote.
    mutating func string() throws(JSONError) -> String {
        let start = position + 1
        if let plain = try plainText() { return String(decoding: bytes[plain], as: UTF8.self) }
        return try stringWithEscapes(from: start)
    }

    /// Reads a string and returns its range between the quotes; nil, positioned at the first escape, if it has escapes.
    mutating func plainText() throws(JSONError) -> Range<Int>? {
        position += 1
        let start = position
        try skipPlainCharacters()
        guard current == .quote else { return nil }
        defer { position += 1 }
        return start..<position
    }

    /// The slow path for a string with escapes: copies plain runs as a whole, and escapes one by one.
    private mutating func stringWithEscapes(from start: Int) throws(JSONError) -> String {
        var unescaped = Array(bytes[start..<position])
        while current == .backslash {
            try appendEscape(to: &unescaped)
            let run = position
            try skipPlainCharacters()
            unescaped += bytes[run..<position]
        }
        position += 1
        return String(decoding: unescaped, as: UTF8.self)
    }

    /// Stops at a quote or a backslash. A control character or the end of the text is an error.
    private mutating func skipPlainCharacters() throws(JSONError) {
        position = endOfPlainCharacters
        guard position < bytes.count, bytes[position] >= 0x20 else { throw unexpected }
    }

    /// Examines blocks of `stride` bytes, and the rest byte by byte.
    private var endOfPlainCharacters: Int {
        let bytes = bytes.span
        var end = position
        while end + Self.stride <= bytes.count, Self.isPlain(bytes.extracting(end..<end + Self.stride)) {
            end += Self.stride
        }
        while end < bytes.count {
            let byte = bytes[end]
            guard byte != .quote, byte != .backslash, byte >= 0x20 else { break }
            end += 1
        }
        return end
    }

    private static let stride = 16

    /// A loop of constant length without an early exit, which the compiler vectorises.
    @inline(__always)
    private static func isPlain(_ bytes: Span<UInt8>) -> Bool {
        var special: UInt8 = 0
        for index in 0..<stride {
            let byte = bytes[index]
            special |= (byte < 0x20 ? 1 : 0) | (byte == .quote ? 1 : 0) | (byte == .backslash ? 1 : 0)
        }
        return special == 0
    }

    private mutating func appendEscape(to unescaped: inout [UInt8]) throws(JSONError) {
        position += 1
        switch current {
        case .quote, .backslash, UInt8(ascii: "/"): unescaped.append(current)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"):
            unescaped += String(try unicodeEscape()).utf8
            return
        default: throw unexpected
        }
        position += 1
    }

    /// Reads one `\uXXXX`, or two that form a surrogate pair, from its `u` on.
    private mutating func unicodeEscape() throws(JSONError) -> Character {
        let escape = position - 1
        let unit = try hexadecimalUnit()
        if let scalar = Unicode.Scalar(unit) { return Character(scalar) }
        guard UTF16.isLeadSurrogate(unit), current == .backslash else { throw .encoding(offset: escape) }
        position += 1
        guard current == UInt8(ascii: "u") else { throw .encoding(offset: escape) }
        let second = try hexadecimalUnit()
        guard UTF16.isTrailSurrogate(second) else { throw .encoding(offset: escape) }
        return Character(UTF16.decode(UTF16.EncodedScalar([unit, second])))
    }

    /// Reads the four digits after the `u` at the current position.
    private mutating func hexadecimalUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            position += 1
            guard let digit = current.hexadecimalDigit else { throw unexpected }
            unit = unit << 4 | UInt16(digit)
        }
        position += 1
        return unit
    }
}
