/// A phone number in the one form in which Gatehouse compares and stores it.
///
/// What has two readings is refused rather than guessed: a code that goes to another number lets its holder sign in.
package struct PhoneNumber: Sendable {
    /// In E.164: `+8613800138000`.
    package let text: String
    package let country: Country
    /// What numbers of its range are for; nil for a number that no person can have.
    package let kind: NumberKind?
    /// Why there is no kind.
    private let fault: AddressFault?
    private let written: String

    /// Of UTF-8, with separators.
    static let longestText = 64
    /// With the calling code (ITU-T E.164, section 6).
    static let mostDigits = 15

    /// A number of a person.
    ///
    /// - Parameter defaultCountry: national numbers of it may be written without `+` and calling code, if all of them
    ///   have the same length. Elsewhere such a text may be a number whose plus is missing.
    package init(_ written: String, defaultCountry: Country? = nil) throws(AddressFault) {
        try self.init(ofAnyKind: written, defaultCountry: defaultCountry)
        if let fault { throw fault }
    }

    /// A number that an account may have, also if no person can have it by the table of this version.
    package init(ofAnyKind written: String, defaultCountry: Country? = nil) throws(AddressFault) {
        let number = try WrittenNumber(written)
        let digits = try number.internationalDigits(defaultCountry: defaultCountry)
        guard digits.utf8.count <= Self.mostDigits else { throw .tooManyDigits }
        let plan = try NumberingPlan.plan(of: digits)
        let complete = plan.withNine(digits) ?? digits
        text = "+" + complete
        self.written = "+" + digits
        do throws(AddressFault) {
            let entry = try plan.entry(of: complete)
            try number.checkLength(defaultCountry: defaultCountry)
            (country, kind, fault) = (entry.country, entry.kind, nil)
        } catch {
            (country, kind, fault) = (plan.countries[0], nil, error)
        }
    }

    /// The forms in which an account may have the number, the one that was written first.
    package var forms: [String] {
        guard let short = try? NumberingPlan.plan(of: String(text.dropFirst())).withoutNine(String(text.dropFirst()))
        else {
            return [text]
        }
        return written == text ? [text, "+" + short] : ["+" + short, text]
    }

    /// Why a number of this kind gets no code.
    func fault(permitting kinds: Set<NumberKind>) -> AddressFault? {
        fault ?? (kind.map(kinds.contains) == true ? nil : .otherKind)
    }

    /// The number without its last four digits, for limits: one party often holds a whole block of numbers.
    package var prefix: String { String(text.dropLast(4)) }
}

/// What a number is for. Others than these cost the caller, or belong to no person.
package enum NumberKind: String, Sendable, CaseIterable {
    /// Also a number that may be a landline: in some countries nothing tells them apart.
    case mobile
    case fixed
    /// Of a telephone on the internet.
    case voip
}
