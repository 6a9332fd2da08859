/// The members of a JSON object in the order in which they were written.
///
/// Names are compared by their code points and not by Swift's canonical equivalence: a name spelled with U+212A (the
/// Kelvin sign) is not the name spelled with `K`, whatever `String.==` says. Members are few, so they are searched in
/// line; a hash table would cost more than it saves.
public struct JSONObject: Sendable {
    public private(set) var members: [(name: String, value: JSONValue)]

    public init() { members = [] }

    /// The members in the given order; of two with the same name the later one wins.
    public init(_ members: [(String, JSONValue)]) {
        self.members = []
        self.members.reserveCapacity(members.count)
        for (name, value) in members { self[name] = value }
    }

    /// For the parser, which has seen to it that no name comes twice.
    init(uniqueMembers members: [(name: String, value: JSONValue)]) {
        self.members = members
    }

    public var count: Int { members.count }

    public var isEmpty: Bool { members.isEmpty }

    public var names: [String] { members.map(\.name) }

    /// The value of a member; nil where there is none. Setting nil removes the member.
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
    /// Objects are equal when they have the same members; their order carries no meaning.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }
}

extension JSONObject: CustomStringConvertible {
    /// The compact text in UTF-8.
    public var bytes: [UInt8] { JSONValue.object(self).bytes }

    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
