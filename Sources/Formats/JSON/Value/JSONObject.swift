/// The members of a JSON object, in the order in which they were written.
///
/// Names are compared by code points, not by canonical equivalence as `String.==` does: a name with U+212A (the Kelvin
/// sign) differs from a name with `K`. The search is linear, which for few members is faster than a hash table.
public struct JSONObject: Sendable {
    public private(set) var members: [(name: String, value: JSONValue)]

    public init() { members = [] }

    /// The members in the given order. If a name occurs twice, the later value counts.
    public init(_ members: [(String, JSONValue)]) {
        self.members = []
        self.members.reserveCapacity(members.count)
        for (name, value) in members { self[name] = value }
    }

    /// For the parser, which has already rejected duplicate names.
    init(uniqueMembers members: [(name: String, value: JSONValue)]) {
        self.members = members
    }

    public var count: Int { members.count }

    public var isEmpty: Bool { members.isEmpty }

    public var names: [String] { members.map(\.name) }

    /// The value of a member; nil if it is missing. Setting nil removes the member.
    public subscript(_ name: String) -> JSONValue? {
        get { index(of: name).map { members[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    private func index(of name: String) -> Int? {
        members.firstIndex { $0.name.isIdentical(to: name) }
    }
}

extension JSONObject: Equatable {
    /// Objects with the same members are equal; the order does not matter.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }
}

extension JSONObject: CustomStringConvertible {
    /// The text in UTF-8, without whitespace.
    public var bytes: [UInt8] { JSONValue.object(self).bytes }

    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral members: (String, JSONValue)...) { self.init(members) }
}

extension JSONObject {
    public var sorted: JSONObject {
        let members = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return JSONObject(uniqueMembers: members.map { ($0.name, $0.value.sorted) })
    }
}
