import Gatehouse
import JSON

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
