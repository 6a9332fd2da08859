/// The members of an object, of which a value is created only when it is read.
///
/// It accepts the same texts as ``JSONValue/init(parsing:)``, and returns the same values and errors. Objects with
/// escapes in names or with many members are parsed into a tree.
public struct JSONObjectReader: Sendable {
    private enum Source {
        case members(JSONMembers)
        case tree(JSONObject)
    }

    /// Up to this number, comparing every name with every other is faster than hashing.
    private static let fewMembers = 32

    private let source: Source

    /// Nil for a text that is not an object.
    public init?(parsing bytes: [UInt8]) throws(JSONError) {
        if let members = try? JSONMembers(parsing: bytes, atMost: Self.fewMembers) {
            source = .members(members)
        } else {
            guard let object = try JSONValue(parsing: bytes).object else { return nil }
            source = .tree(object)
        }
    }

    public init(_ object: JSONObject) {
        source = .tree(object)
    }

    /// The value of a member; nil if it is missing.
    public subscript(_ name: String) -> JSONValue? {
        switch source {
        case .members(let members): members[name]
        case .tree(let object): object[name]
        }
    }

    /// Whether a member is this text, compared byte by byte.
    public func has(_ name: String, _ text: String) -> Bool {
        switch source {
        case .members(let members): members.has(name, text)
        case .tree(let object): object[name]?.string?.isIdentical(to: text) ?? false
        }
    }

    /// The whole object as a tree.
    public var object: JSONObject {
        switch source {
        case .members(let members): members.object
        case .tree(let object): object
        }
    }
}
