/// The members of one object, its texts left where they are until somebody asks for them: no tree is built of what
/// nobody reads.
///
/// The whole text is held to the same rules as by ``JSONValue/init(parsing:)``, and to one more: names are written
/// without escapes. Every name is compared with every other, so it is for short texts, or those of somebody trusted.
public struct JSONMembers: Sendable {
    private enum Content {
        /// Without the quotes around it.
        case text(Range<Int>)
        case value(JSONValue)
    }

    private let bytes: [UInt8]
    private var members: [(name: Range<Int>, content: Content)] = []

    public init(parsing bytes: [UInt8]) throws(JSONError) {
        self.bytes = bytes
        members.reserveCapacity(12)
        var parser = try JSONParser(validating: bytes)
        try parser.document { (parser) throws(JSONError) in
            try parser.members { (parser) throws(JSONError) in try take(&parser) }
        }
    }

    private mutating func take(_ parser: inout JSONParser) throws(JSONError) {
        guard let name = try parser.plainText() else { throw parser.unexpected }
        guard index(of: bytes.span.extracting(name)) == nil else {
            throw .duplicateMember(String(decoding: bytes[name], as: UTF8.self))
        }
        try parser.colon()
        let start = parser.position
        if parser.current == .quote, let text = try parser.plainText() {
            members.append((name, .text(text)))
        } else {
            parser.position = start
            members.append((name, .value(try parser.value())))
        }
    }

    /// The text of a member; nil where there is none, or something else.
    public func string(_ name: String) -> String? {
        switch self[name] {
        case .text(let range): String(decoding: bytes[range], as: UTF8.self)
        case .value(let value): value.string
        case nil: nil
        }
    }

    /// The whole number of a member; nil where there is none, or something else.
    public func integer(_ name: String) -> Int64? {
        guard case .value(let value) = self[name] else { return nil }
        return value.integer
    }

    private subscript(_ name: String) -> Content? { index(of: name.utf8.span).map { members[$0].content } }

    private func index(of name: Span<UInt8>) -> Int? {
        for (index, member) in members.enumerated() where member.name.count == name.count {
            if isSame(bytes.span.extracting(member.name), name) { return index }
        }
        return nil
    }

    private func isSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}
