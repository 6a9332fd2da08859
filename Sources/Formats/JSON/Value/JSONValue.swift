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
