/// A country or territory with phone numbers of its own.
package struct Country: Sendable, Hashable {
    /// Of ISO 3166-1: `CN`. Kosovo, Ascension and Tristan da Cunha, which have none there, are `XK`, `AC` and `TA`.
    package let code: String
    /// What follows the plus: `86`. Countries may share one.
    package let callingCode: String
    /// How many digits its numbers have after the calling code; nil if that differs.
    let numberLength: Int?

    init(code: String, callingCode: String, numberLength: Int? = nil) {
        self.code = code
        self.callingCode = callingCode
        self.numberLength = numberLength
    }

    /// Nil for a text that is not the code of a country with a calling code. Upper and lower case are the same.
    package init?(code: String) {
        guard code.utf8.allSatisfy({ $0 < 0x80 }), let country = NumberingPlan.countries[code.uppercased()] else {
            return nil
        }
        self = country
    }
}

extension Country {
    /// Whether all of its numbers have the same number of digits.
    package var hasNumbersOfOneLength: Bool { numberLength != nil }
}
