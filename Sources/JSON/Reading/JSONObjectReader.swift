/// The members of one object, of which only those are made into values that somebody asks for.
///
/// It says what the tree of ``JSONValue/init(parsing:)`` says, and refuses what that refuses, for the same reasons. What is
/// out of the ordinary is left to the tree: names with escapes, and more members than are quickly compared.
public struct JSONObjectReader: Sendable {
    private enum Source {
        case members(JSONMembers)
        case tree(JSONObject)
    }

    /// Few enough that comparing every name with every other costs less than hashing them.
    private static let fewMembers = 32

    private let source: Source

    /// Nil for a text that is no object.
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

    /// The value of a member; nil where there is none.
    public subscript(_ name: String) -> JSONValue? {
        switch source {
        case .members(let members): members[name]
        case .tree(let object): object[name]
        }
    }

    /// Whether a member is this text, and no other spelling of the same characters.
    public func has(_ name: String, _ text: String) -> Bool {
        switch source {
        case .members(let members): members.has(name, text)
        case .tree(let object): object[name]?.string?.isIdentical(to: text) ?? false
        }
    }

    /// All of it.
    public var object: JSONObject {
        switch source {
        case .members(let members): members.object
        case .tree(let object): object
        }
    }
}
