/// A country or territory with phone numbers of its own.
package struct Country: Sendable, Hashable {
    /// Of ISO 3166-1: `CN`. Kosovo, which has none there, is `XK`.
    package let code: String
    /// What follows the plus: `86`. Countries may share one.
    package let callingCode: String

    init(code: String, callingCode: String) {
        self.code = code
        self.callingCode = callingCode
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
    /// Whether all of its national numbers have the same number of digits.
    package var hasNumbersOfOneLength: Bool { NumberingPlan.hasOneLength(self) }
}
