/// A recursive descent over a text that is known to be UTF-8; strings and numbers have files of their own.
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

    /// For what is known to be UTF-8.
    init(validated bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// The byte at the reading position, or 0 (which is legal nowhere outside of a value) at the end of the text.
    var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    var unexpected: JSONError { .syntax(offset: position) }

    /// Reads what is the whole text but for whitespace.
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

    /// Goes through an object; `read` takes each member, from the quote before its name on.
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
