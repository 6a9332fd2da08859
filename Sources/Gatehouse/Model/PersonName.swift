/// The name that Apple hands to the app once in a user's life.
package struct PersonName: Sendable, Equatable {
    package var given: String?
    package var family: String?

    package init(given: String?, family: String?) {
        self.given = given
        self.family = family
    }

    /// The name as its owner would write it: family name first and unspaced in Chinese, Japanese and Korean.
    package var displayed: String? {
        let parts = (given: Self.trimmed(given), family: Self.trimmed(family))
        switch parts {
        case (nil, nil): return nil
        case (let given?, nil): return given
        case (nil, let family?): return family
        case (let given?, let family?):
            return Self.isEastAsian(given) && Self.isEastAsian(family) ? family + given : given + " " + family
        }
    }

    private static func trimmed(_ part: String?) -> String? {
        guard let part else { return nil }
        let kept = part.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        return kept.isEmpty ? nil : String(kept)
    }

    private static func isEastAsian(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x2E80...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
            default: false
            }
        }
    }
}
