/// The members of an object, of which a value is created only when it is read.
///
/// The whole text is validated by the same rules as in ``JSONValue/init(parsing:)``. In addition, names must not
/// contain escapes. Every name is compared with every other, so use it for short or trusted texts.
public struct JSONMembers: Sendable, JSONClaims {
    /// The position of a member in the text, and its value if it has been parsed.
    private struct Member {
        enum Content {
            /// The range of a string without escapes, without its quotes.
            case text(Range<Int>)
            case integer(Int64)
            /// The start of any other value.
            case value(at: Int)
        }

        let name: Range<Int>
        let content: Content
    }

    private let bytes: [UInt8]
    private var members: [Member] = []

    /// - Parameter limit: The maximum number of members.
    public init(parsing bytes: [UInt8], atMost limit: Int = .max) throws(JSONError) {
        self.bytes = bytes
        members.reserveCapacity(12)
        var parser = try JSONParser(validating: bytes)
        try parser.document { (parser) throws(JSONError) in
            try parser.members { (parser) throws(JSONError) in
                guard members.count < limit else { throw parser.unexpected }
                try take(&parser)
            }
        }
    }

    private mutating func take(_ parser: inout JSONParser) throws(JSONError) {
        guard let name = try parser.plainText() else { throw parser.unexpected }
        guard content(of: bytes.span.extracting(name)) == nil else {
            throw .duplicateMember(String(decoding: bytes[name], as: UTF8.self))
        }
        try parser.colon()
        members.append(Member(name: name, content: try Self.content(&parser)))
    }

    private static func content(_ parser: inout JSONParser) throws(JSONError) -> Member.Content {
        let start = parser.position
        if parser.current == .quote, let text = try parser.plainText() { return .text(text) }
        parser.position = start
        if case .integer(let number) = try parser.value() { return .integer(number) }
        return .value(at: start)
    }

    public func string(_ name: String) -> String? {
        switch content(of: name.utf8.span) {
        case .text(let range): String(decoding: bytes[range], as: UTF8.self)
        case .value(let start): value(at: start).string
        case .integer, nil: nil
        }
    }

    public func has(_ name: String, _ text: String) -> Bool {
        if case .text(let range) = content(of: name.utf8.span) {
            return bytes.span.extracting(range).isIdentical(to: text.utf8.span)
        }
        return string(name)?.isIdentical(to: text) ?? false
    }

    public func hasText(_ name: String) -> Bool { string(name) != nil }

    public func integer(_ name: String) -> Int64? {
        switch content(of: name.utf8.span) {
        case .integer(let number): number
        case .value(let start): value(at: start).integer
        case .text, nil: nil
        }
    }

    /// The value of a member; nil if it is missing.
    subscript(_ name: String) -> JSONValue? {
        switch content(of: name.utf8.span) {
        case .text(let range): .string(String(decoding: bytes[range], as: UTF8.self))
        case .integer(let number): .integer(number)
        case .value(let start): value(at: start)
        case nil: nil
        }
    }

    /// The whole object as a tree.
    var object: JSONObject { (try? JSONValue(parsing: bytes))?.object ?? [:] }

    private func content(of name: Span<UInt8>) -> Member.Content? {
        let bytes = bytes.span
        for member in members where member.name.count == name.count {
            if Self.isSame(bytes.extracting(member.name), name) { return member.content }
        }
        return nil
    }

    /// Stops at the first difference: names are short and usually differ in the first letter.
    private static func isSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    /// Parses a value that has been validated before.
    private func value(at start: Int) -> JSONValue {
        var parser = JSONParser(validated: bytes, at: start)
        return (try? parser.value()) ?? .null
    }
}
