public import JSON

/// Reads the members of a request body and collects every fault, so that a client learns of all of them at once.
///
/// `null` counts as absent, and members that nobody asks for are passed over: newer clients may send more.
public struct FieldReader {
    public private(set) var faults: [FieldError] = []
    private let object: JSONObjectReader
    private let prefix: String

    public init(_ object: JSONObjectReader, prefix: String = "") {
        self.object = object
        self.prefix = prefix
    }

    /// A string that has to be there. Empty when it is not, with the fault noted.
    public mutating func required(_ name: String, atMost limit: Int) -> String {
        guard let value = object[name], !value.isNull else {
            note(name, "is required")
            return ""
        }
        guard let text = checked(value, name, atMost: limit) else { return "" }
        if text.isEmpty { note(name, "must not be empty") }
        return text
    }

    /// A string that may be missing.
    public mutating func optional(_ name: String, atMost limit: Int) -> String? {
        guard let value = object[name], !value.isNull else { return nil }
        return checked(value, name, atMost: limit)
    }

    public mutating func optionalInteger(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let number = value.integer, range.contains(number) else {
            note(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// An object within, read by the same rules.
    public mutating func optionalObject<Result>(
        _ name: String, read: (inout FieldReader) -> Result
    ) -> Result? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let object = value.object else {
            note(name, "must be an object")
            return nil
        }
        var inner = FieldReader(JSONObjectReader(object), prefix: prefix + name + ".")
        let result = read(&inner)
        faults += inner.faults
        return result
    }

    func has(_ name: String) -> Bool { object[name] != nil }

    subscript(_ name: String) -> JSONValue? { object[name] }

    public mutating func note(_ name: String, _ message: String) {
        faults.append(FieldError(field: prefix + name, message: message))
    }

    private mutating func checked(_ value: JSONValue, _ name: String, atMost limit: Int) -> String? {
        guard let text = value.string else {
            note(name, "must be a string")
            return nil
        }
        guard text.utf8.count <= limit else {
            note(name, "must be at most \(limit) bytes")
            return nil
        }
        guard !text.hasNUL else {
            note(name, "must not contain NUL")
            return nil
        }
        return text
    }
}

extension String {
    /// Looks at every byte without stopping early: a loop over a span without a way out is done in strides.
    fileprivate var hasNUL: Bool {
        let bytes = utf8.span
        var found: UInt8 = 0
        for index in bytes.indices { found |= bytes[index] == 0 ? 1 : 0 }
        return found != 0
    }
}
