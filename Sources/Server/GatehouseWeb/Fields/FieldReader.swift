import Gatehouse
package import JSON

/// A request body of one endpoint. It reports every invalid member to the reader.
package protocol RequestBody: Sendable {
    init(reading fields: inout FieldReader)
}

extension RequestBody {
    /// Reads a body, which `invalid_json` or `invalid_request` refuses.
    package init(parsing body: [UInt8]) throws(Problem) {
        let object: JSONObjectReader?
        do { object = try JSONObjectReader(parsing: body) } catch {
            throw .invalidJSON(InvalidJSON.explanation(error, of: body))
        }
        guard let object else { throw .invalidJSON(InvalidJSON.noObject(body)) }
        var fields = FieldReader(object)
        self.init(reading: &fields)
        guard fields.errors.isEmpty else { throw .invalidRequest(fields.errors) }
    }
}

/// What is wrong with one member of a request body.
package struct FieldError: Error, Sendable, Equatable {
    /// The member's name. A member of a nested object is written `fullName.givenName`.
    package let field: String
    package let message: String

    package var sentence: String { "\(field) \(message)" }
}

/// The longest accepted texts, in bytes of UTF-8.
enum FieldLimit {
    /// The verifier of identity tokens has its own, smaller limit. A token between the two is `malformed`.
    static let token = 65_536
    static let authorizationCode = 2048
    static let identifier = 256
    static let nonce = 512
    static let gateway = 32
    static let numberToken = 4096
    static let email = 254
    static let name = 200
    static let url = 2048
    static let secret = 1024
}

/// Reads the members of a request body and collects all errors, so that one answer reports all of them.
///
/// `null` counts as absent. Unknown members are ignored, because newer clients may send more.
package struct FieldReader {
    package private(set) var errors: [FieldError] = []
    private let object: JSONObjectReader
    private let prefix: String

    package init(_ object: JSONObjectReader, prefix: String = "") {
        (self.object, self.prefix) = (object, prefix)
    }

    /// Every member, with nested ones.
    var allMembers: JSONObject { object.object }

    /// A required string. Empty, with an error, when it is missing.
    mutating func required(_ name: String, atMost limit: Int) -> String {
        guard let value = object[name], !value.isNull else {
            reject(name, "is required")
            return ""
        }
        guard let text = checked(value, name, atMost: limit) else { return "" }
        if text.isEmpty { reject(name, "must not be empty") }
        return text
    }

    mutating func optional(_ name: String, atMost limit: Int) -> String? {
        guard let value = object[name], !value.isNull else { return nil }
        return checked(value, name, atMost: limit)
    }

    mutating func optionalInteger(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let number = value.integer, range.contains(number) else {
            reject(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// A nested object.
    mutating func optionalObject<Result>(_ name: String, read: (inout FieldReader) -> Result) -> Result? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let object = value.object else {
            reject(name, "must be an object, not \(value.kind)")
            return nil
        }
        var inner = FieldReader(JSONObjectReader(object), prefix: prefix + name + ".")
        let result = read(&inner)
        errors += inner.errors
        return result
    }

    func has(_ name: String) -> Bool { object.contains(name) }

    subscript(_ name: String) -> JSONValue? { object[name] }

    mutating func reject(_ name: String, _ message: String) {
        errors.append(FieldError(field: prefix + name, message: message))
    }

    private mutating func checked(_ value: JSONValue, _ name: String, atMost limit: Int) -> String? {
        guard let text = value.string else {
            reject(name, "must be a string, not \(value.kind)")
            return nil
        }
        guard text.utf8.count <= limit else {
            reject(name, "must be at most \(limit) bytes")
            return nil
        }
        guard !text.hasNUL else {
            reject(name, "must not contain NUL")
            return nil
        }
        return text
    }
}

extension String {
    /// Without an early exit, so that the compiler vectorises the loop.
    fileprivate var hasNUL: Bool {
        let bytes = utf8.span
        var found: UInt8 = 0
        for index in bytes.indices { found |= bytes[index] == 0 ? 1 : 0 }
        return found != 0
    }
}

// MARK: - Formats

extension FieldReader {
    /// An email address: text on both sides of one `@`. Whether mail arrives there is not checked.
    mutating func requiredEmail(_ name: String) -> String {
        let text = required(name, atMost: FieldLimit.email)
        if !text.isEmpty, !text.isPlausibleAddress { reject(name, "must be an email address") }
        return text
    }

    /// A name that Apple gives to the app only once, so it must not be refused: control characters are removed, and the
    /// rest is truncated.
    mutating func truncatedName(_ name: String) -> String? {
        guard let text = optional(name, atMost: FieldLimit.token) else { return nil }
        var kept = ""
        for character in text where character.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) {
            guard kept.utf8.count + character.utf8.count <= FieldLimit.name else { break }
            kept.append(character)
        }
        return kept.trimmedOrNil
    }

    /// A name to display, without surrounding white space; nil when nothing is left.
    mutating func optionalName(_ name: String) -> String? {
        guard let text = optional(name, atMost: FieldLimit.name) else { return nil }
        guard !text.hasControlCharacters else {
            reject(name, "must not contain control characters")
            return nil
        }
        return text.trimmedOrNil
    }

    /// An https URL.
    mutating func optionalURL(_ name: String) -> String? {
        guard let text = optional(name, atMost: FieldLimit.url) else { return nil }
        if !text.isHTTPSAddress { reject(name, "must be an https URL") }
        return text
    }

    /// One of the texts of a type. Nil, with an error, for any other one.
    mutating func requiredCase<Value: RawRepresentable<String> & CaseIterable>(_ name: String) -> Value? {
        let text = required(name, atMost: FieldLimit.identifier)
        return text.isEmpty ? nil : read(text, of: name)
    }

    mutating func optionalCase<Value: RawRepresentable<String> & CaseIterable>(_ name: String) -> Value? {
        optional(name, atMost: FieldLimit.identifier).flatMap { read($0, of: name) }
    }

    private mutating func read<Value: RawRepresentable<String> & CaseIterable>(
        _ text: String, of name: String
    ) -> Value? {
        if let value = Value(rawValue: text) { return value }
        reject(name, "must be one of " + Value.allCases.map(\.rawValue).joined(separator: ", "))
        return nil
    }

    /// A member of a PATCH: nil when it is missing, and an inner nil for `null`.
    mutating func change(_ name: String, read: (inout FieldReader) -> String?) -> String?? {
        has(name) ? .some(read(&self)) : nil
    }

    /// A Boolean member of a PATCH. It cannot be removed.
    mutating func changeFlag(_ name: String) -> Bool? {
        guard let value = self[name] else { return nil }
        if value.bool == nil { reject(name, "must be true or false, not \(value.kind)") }
        return value.bool
    }
}
