/// The members of an object, of which a value is created only when it is read.
///
/// It accepts the same texts as ``JSONValue/init(parsing:)``, and returns the same values and errors. Objects with
/// escapes in names or with many members are parsed into a tree.
public struct JSONObjectReader: Sendable, JSONClaims {
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

    /// Up to this number, comparing every name with every other is faster than hashing.
    private static let fewMembers = 32

    private var bytes: [UInt8] = []
    private var members: [Member] = []
    /// In place of the members.
    private var tree: JSONObject?

    /// Nil for a text that is not an object.
    public init?(parsing bytes: [UInt8]) throws(JSONError) {
        self.bytes = bytes
        members.reserveCapacity(12)
        do throws(JSONError) {
            try takeMembers()
        } catch {
            members = []
            guard let object = try JSONValue(parsing: bytes).object else { return nil }
            tree = object
        }
    }

    public init(_ object: JSONObject) {
        tree = object
    }

    private mutating func takeMembers() throws(JSONError) {
        var parser = try JSONParser(validating: bytes)
        try parser.document { (parser) throws(JSONError) in
            try parser.members { (parser) throws(JSONError) in try take(&parser) }
        }
    }

    private mutating func take(_ parser: inout JSONParser) throws(JSONError) {
        guard members.count < Self.fewMembers, let name = try parser.plainText(),
            content(of: bytes.span.extracting(name)) == nil
        else { throw parser.unexpected }
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

    /// The value of a member; nil if it is missing.
    public subscript(_ name: String) -> JSONValue? {
        switch content(of: name.utf8.span) {
        case .text(let range): return .string(String(decoding: bytes[range], as: UTF8.self))
        case .integer(let number): return .integer(number)
        case .value(let start):
            // It has been validated before.
            var parser = JSONParser(validated: bytes, at: start)
            return try? parser.value()
        case nil: return tree?[name]
        }
    }

    public func contains(_ name: String) -> Bool { content(of: name.utf8.span) != nil || tree?[name] != nil }

    public func has(_ name: String, _ text: String) -> Bool {
        if case .text(let range) = content(of: name.utf8.span) {
            return bytes.span.extracting(range).isIdentical(to: text.utf8.span)
        }
        return string(name)?.isIdentical(to: text) ?? false
    }

    public func hasText(_ name: String) -> Bool { string(name) != nil }

    public func string(_ name: String) -> String? { self[name]?.string }

    public func string(_ name: String, in object: String) -> String? { self[object]?.object?[name]?.string }

    public func integer(_ name: String) -> Int64? { self[name]?.integer }

    public func isTrue(_ name: String) -> Bool { self[name]?.bool == true }

    public func sortedObject(_ name: String) -> String? { self[name]?.object?.sorted.description }

    public func skipTexts(_ name: String) {}

    /// The whole object as a tree.
    public var object: JSONObject { tree ?? (try? JSONValue(parsing: bytes))?.object ?? [:] }
}

/// Access to the members of an object by name. Each member is read once, in the order in which it was written.
public protocol JSONClaims {
    /// Whether a member is this text, compared byte by byte.
    mutating func has(_ name: String, _ text: String) -> Bool

    /// Whether a member is a string. Its text is not copied.
    mutating func hasText(_ name: String) -> Bool

    /// The text of a string member; nil if it is missing or of another type.
    mutating func string(_ name: String) -> String?

    /// The text of a member of an object that is a member; nil if one of them is missing or of another type.
    mutating func string(_ name: String, in object: String) -> String?

    /// The value of an integer member; nil if it is missing or of another type.
    mutating func integer(_ name: String) -> Int64?

    /// False for any other value, and for a missing one.
    mutating func isTrue(_ name: String) -> Bool

    /// The text of an object with sorted members; nil if it is missing or of another type.
    mutating func sortedObject(_ name: String) -> String?

    /// Goes past an array of strings, which may be missing.
    mutating func skipTexts(_ name: String)
}

/// Detects duplicate names while an object is parsed.
///
/// Small objects are searched linearly. Larger ones use a hash table, so that the time is not quadratic for thousands
/// of members. Hashing is seeded per process, so a client cannot cause collisions.
struct JSONNameSet {
    private static let searchLimit = 16
    private var hashed: Set<[UInt8]> = []

    /// False if `members` already contains the name.
    mutating func insert(_ name: String, besides members: [(name: String, value: JSONValue)]) -> Bool {
        guard members.count >= Self.searchLimit else {
            return !members.contains { $0.name.isIdentical(to: name) }
        }
        if hashed.isEmpty { hashed = Set(members.map { Array($0.name.utf8) }) }
        return hashed.insert(Array(name.utf8)).inserted
    }
}
