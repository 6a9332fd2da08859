/// A phone number in the one form in which Gatehouse compares and stores it.
///
/// What has two readings is refused rather than guessed: a code that goes to another number lets its holder sign in.
package struct PhoneNumber: Sendable, Hashable {
    /// In E.164: `+8613800138000`.
    package let text: String
    package let country: Country

    /// Of UTF-8, with separators.
    static let longestText = 64
    /// With the calling code (ITU-T E.164, section 6).
    static let mostDigits = 15

    /// - Parameter defaultCountry: national numbers of it may be written without `+` and calling code, if all of them have
    ///   the same length. Elsewhere such a text may be a number whose plus is missing.
    package init(_ written: String, defaultCountry: Country? = nil) throws(AddressFault) {
        let digits = try WrittenNumber(written).internationalDigits(defaultCountry: defaultCountry)
        guard digits.utf8.count <= Self.mostDigits else { throw .tooManyDigits }
        country = try NumberingPlan.country(of: digits)
        text = "+" + digits
    }

    /// The number without its last four digits, for limits: one party often holds a whole block of numbers.
    package var prefix: String { String(text.dropLast(4)) }
}
