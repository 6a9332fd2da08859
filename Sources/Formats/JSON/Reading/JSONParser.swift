/// A recursive descent parser for text that has been validated as UTF-8.
struct JSONParser {
    let bytes: [UInt8]
    var position = 0
    private var depth = 0

    init(validating bytes: [UInt8]) throws(JSONError) {
        do {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw .encoding(offset: error.byteOffsets.lowerBound)
        }
        self.init(validated: bytes)
    }

    /// - Parameter bytes: Valid UTF-8.
    init(validated bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// The byte at the current position, or 0 at the end of the text. A zero byte is never valid
    /// at the start of a token.
    var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    var unexpected: JSONError { .syntax(offset: position) }

    /// Reads a value that must be the whole text, except for whitespace.
    mutating func document<Content>(
        _ read: (inout JSONParser) throws(JSONError) -> Content
    ) throws(JSONError) -> Content {
        skipWhitespace()
        let content = try read(&self)
        skipWhitespace()
        guard position == bytes.count else { throw unexpected }
        return content
    }

    mutating func value() throws(JSONError) -> JSONValue {
        switch current {
        case .quote: return .string(try string())
        case .leftBrace: return .object(try object())
        case .leftBracket: return .array(try nested { (parser) throws(JSONError) in try parser.array() })
        case .minus, .zero ... .nine: return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw unexpected
        }
    }

    private mutating func nested<Container>(
        _ body: (inout JSONParser) throws(JSONError) -> Container
    ) throws(JSONError) -> Container {
        guard depth < JSONValue.maximumDepth else { throw .depth(offset: position) }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        var members: [(name: String, value: JSONValue)] = []
        var names = JSONNameSet()
        try self.members { (parser) throws(JSONError) in
            let name = try parser.string()
            guard names.insert(name, besides: members) else { throw .duplicateMember(name) }
            try parser.colon()
            members.append((name, try parser.value()))
        }
        return JSONObject(uniqueMembers: members)
    }

    /// Parses an object; `read` parses each member, starting at the quote before its name.
    mutating func members(_ read: (inout JSONParser) throws(JSONError) -> Void) throws(JSONError) {
        try nested { (parser) throws(JSONError) in try parser.membersWithin(read) }
    }

    private mutating func membersWithin(_ read: (inout JSONParser) throws(JSONError) -> Void) throws(JSONError) {
        guard skip(.leftBrace) else { throw unexpected }
        skipWhitespace()
        guard !skip(.rightBrace) else { return }
        repeat {
            skipWhitespace()
            guard current == .quote else { throw unexpected }
            try read(&self)
            skipWhitespace()
        } while skip(.comma)
        guard skip(.rightBrace) else { throw unexpected }
    }

    mutating func colon() throws(JSONError) {
        skipWhitespace()
        guard skip(.colon) else { throw unexpected }
        skipWhitespace()
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        position += 1
        skipWhitespace()
        guard !skip(.rightBracket) else { return elements }
        repeat {
            skipWhitespace()
            elements.append(try value())
            skipWhitespace()
        } while skip(.comma)
        guard skip(.rightBracket) else { throw unexpected }
        return elements
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        for scalar in word.utf8 where !skip(scalar) { throw unexpected }
        return value
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipWhitespace() {
        while current == 0x20 || current == 0x0A || current == 0x0D || current == 0x09 { position += 1 }
    }
}
