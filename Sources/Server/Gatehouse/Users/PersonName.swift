/// The name that Apple gives to the app at the first login only.
package struct PersonName: Sendable, Equatable {
    package var given: String?
    package var family: String?

    package init(given: String?, family: String?) {
        self.given = given
        self.family = family
    }

    /// The full name, with the family name first and no space in Chinese, Japanese and Korean.
    package var displayed: String? {
        let parts = (given: given?.trimmedOrNil, family: family?.trimmedOrNil)
        switch parts {
        case (nil, nil): return nil
        case (let given?, nil): return given
        case (nil, let family?): return family
        case (let given?, let family?):
            return Self.isEastAsian(given) && Self.isEastAsian(family) ? family + given : given + " " + family
        }
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

extension String {
    /// The text without white space at its ends; nil if nothing is left.
    package var trimmedOrNil: String? {
        // Most texts begin and end with a visible character of ASCII.
        if let first = utf8.first, let last = utf8.last, first.isVisible, last.isVisible { return self }
        let kept = drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        return kept.isEmpty ? nil : String(kept)
    }
}

extension UInt8 {
    /// Of ASCII.
    var isVisible: Bool { (0x21...0x7E).contains(self) }
}
