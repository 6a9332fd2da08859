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
        (self.bytes, self.position) = (bytes, position)
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

extension JSONParser {
    /// Reads a number: `.integer` if it is written as a whole number and fits `Int64`, otherwise `.number`.
    mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let isNegative = current == .minus
        if isNegative { position += 1 }
        let integer = try integerPart(isNegative: isNegative)
        let hasFraction = try skipFraction()
        let hasExponent = try skipExponent()
        if let integer, !hasFraction, !hasExponent { return .integer(integer) }
        guard let value = Double(String(decoding: bytes[start..<position], as: UTF8.self)), value.isFinite else {
            throw .range(offset: start)
        }
        return .number(value)
    }

    /// The digits before the decimal point; nil if they exceed `Int64`.
    private mutating func integerPart(isNegative: Bool) throws(JSONError) -> Int64? {
        let first = position
        var value: Int64? = 0
        while let digit = current.decimalDigit {
            value = value?.appending(digit: isNegative ? -Int64(digit) : Int64(digit))
            position += 1
        }
        let hasLeadingZero = position - first > 1 && bytes[first] == .zero
        guard position > first, !hasLeadingZero else { throw .syntax(offset: first) }
        return value
    }

    private mutating func skipFraction() throws(JSONError) -> Bool {
        guard current == UInt8(ascii: ".") else { return false }
        position += 1
        try skipDigits()
        return true
    }

    private mutating func skipExponent() throws(JSONError) -> Bool {
        guard current | 0x20 == UInt8(ascii: "e") else { return false }
        position += 1
        if current == .minus || current == UInt8(ascii: "+") { position += 1 }
        try skipDigits()
        return true
    }

    private mutating func skipDigits() throws(JSONError) {
        guard current.decimalDigit != nil else { throw unexpected }
        while current.decimalDigit != nil { position += 1 }
    }
}

extension Int64 {
    /// Nil on overflow.
    fileprivate func appending(digit: Int64) -> Int64? {
        let (tenfold, tooLarge) = multipliedReportingOverflow(by: 10)
        let (sum, overflows) = tenfold.addingReportingOverflow(digit)
        return tooLarge || overflows ? nil : sum
    }
}

/// Why a text was rejected. Offsets are in bytes from the start of the text.
public enum JSONError: Error, Equatable, Sendable {
    /// Not valid according to the grammar of RFC 8259.
    case syntax(offset: Int)
    /// Not UTF-8, or an escape for half of a surrogate pair.
    case encoding(offset: Int)
    /// Objects and arrays nested deeper than ``JSONValue/maximumDepth``.
    case depth(offset: Int)
    /// A number too large for a `Double`.
    case range(offset: Int)
    /// A name that occurs twice in an object. Parsers disagree on which of the two members counts.
    case duplicateMember(String)
}

extension JSONError: CustomStringConvertible {
    /// Contains no part of the text, which may be secret.
    public var description: String {
        switch self {
        case .syntax(let offset): "not valid JSON at byte \(offset)"
        case .encoding(let offset): "not UTF-8 at byte \(offset)"
        case .depth(let offset): "nested too deeply at byte \(offset)"
        case .range(let offset): "number out of range at byte \(offset)"
        case .duplicateMember: "an object has two members with the same name"
        }
    }
}

extension JSONValue {
    /// The maximum nesting of objects and arrays: more than any valid request needs, and less than the stack allows.
    public static let maximumDepth = 32

    /// Parses a text with exactly one value: strict RFC 8259 in UTF-8, followed only by whitespace.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        var parser = try JSONParser(validating: bytes)
        self = try parser.document { (parser) throws(JSONError) in try parser.value() }
    }

    public init(parsing text: String) throws(JSONError) {
        try self.init(parsing: Array(text.utf8))
    }
}
