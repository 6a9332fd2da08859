/// A JSON value (RFC 8259).
///
/// Integers have a case of their own, because times and counters must not lose precision in a `Double`.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    public var isNull: Bool { self == .null }

    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The value as an integer, also if it was written as `1.5e3` or `7.0`; nil for a number with a fraction.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): value.wholeNumber
        default: nil
        }
    }

    /// The value as a `Double`; an integer is rounded to the nearest one.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    public var array: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    public var object: JSONObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }
}

extension JSONValue: CustomStringConvertible {
    /// The text in UTF-8, without whitespace.
    public var bytes: [UInt8] {
        var writer = JSONWriter(reserving: 64)
        writer.value(self)
        return writer.finish()
    }

    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension Double {
    /// `Int64.init(exactly:)` would make this library depend on libm.
    fileprivate var wholeNumber: Int64? {
        guard self >= -0x1p63, self < 0x1p63 else { return nil }
        let whole = Int64(self)
        return Double(whole) == self ? whole : nil
    }
}

// Swift literals for JSON values.

extension JSONValue: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) { self = .null }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self = .number(value) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(JSONObject(members)) }
}

extension JSONValue {
    /// With the members of each object sorted by the bytes of their names: equal values have equal texts.
    public var sorted: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let object): .object(object.sorted)
        default: self
        }
    }
}

extension JSONObject {
    public var sorted: JSONObject {
        let members = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return JSONObject(uniqueMembers: members.map { ($0.name, $0.value.sorted) })
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral members: (String, JSONValue)...) { self.init(members) }
}

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

extension String {
    /// Whether both have the same bytes. `==` compares by canonical equivalence, by which U+212A equals K.
    ///
    /// The lengths and `==` are compared first: both reject most other texts quickly.
    package func isIdentical(to other: String) -> Bool {
        guard utf8.count == other.utf8.count, self == other else { return false }
        return utf8.span.isIdentical(to: other.utf8.span)
    }
}

extension Span<UInt8> {
    /// Whether both have the same bytes. The loop has no early exit, so that the compiler can vectorise it.
    package func isIdentical(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in indices { difference |= self[index] ^ other[index] }
        return difference == 0
    }
}
