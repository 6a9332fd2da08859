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
