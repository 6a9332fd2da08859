extension FieldReader {
    /// An address with something on both sides of one `@`. Whether mail arrives there is not ours to know.
    mutating func requiredEmail(_ name: String) -> String {
        let text = required(name, atMost: FieldLimit.email)
        // By scalars: a mark that combines with the @ would hide it from a search by characters.
        let parts = text.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        let isPlausible =
            parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && text.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.value >= 0x20 && $0.value != 0x7F }
        if !text.isEmpty, !isPlausible { note(name, "must be an email address") }
        return text
    }

    /// A name that is sent once in a user's life, and must not be lost for its form: what cannot be shown is left out, and
    /// what is too much is cut off.
    mutating func forgivenName(_ name: String) -> String? {
        guard let text = optional(name, atMost: FieldLimit.token) else { return nil }
        var kept = ""
        for character in text where character.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) {
            guard kept.utf8.count + character.utf8.count <= FieldLimit.name else { break }
            kept.append(character)
        }
        kept = String(kept.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        return kept.isEmpty ? nil : kept
    }

    /// A name to show: without the space around it, and nil when nothing is left.
    mutating func optionalName(_ name: String) -> String? {
        guard let text = optional(name, atMost: FieldLimit.name) else { return nil }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            note(name, "must not contain control characters")
            return nil
        }
        let kept = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        return kept.isEmpty ? nil : String(kept)
    }
}
