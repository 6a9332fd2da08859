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

/// The digits of a phone number that was typed or pasted.
struct WrittenNumber {
    private var hasPlus = false
    private var digits = ""

    /// Chinese keyboards write digits and the plus in full width. Nothing else is converted: invisible characters and the
    /// digits of other scripts are refused.
    init(_ text: String) throws(AddressFault) {
        guard text.utf8.count <= PhoneNumber.longestText else { throw .longNumber }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "0"..."9": digits.unicodeScalars.append(scalar)
            case "\u{FF10}"..."\u{FF19}": digits += String(scalar.value - 0xFF10)
            case "+", "\u{FF0B}":
                guard !hasPlus, digits.isEmpty else { throw .secondPlus }
                hasPlus = true
            case " ", "\u{A0}", "\u{202F}", "\u{3000}", "-", ".", "(", ")": continue
            default: throw .numberCharacter
            }
        }
        guard !digits.isEmpty else { throw .empty }
    }

    /// With the calling code.
    func internationalDigits(defaultCountry: Country?) throws(AddressFault) -> String {
        if hasPlus { return digits }
        guard !digits.hasPrefix("00") else { throw .doubleZero }
        guard let defaultCountry, !digits.hasPrefix("0"), defaultCountry.hasNumbersOfOneLength else { throw .noPlus }
        return defaultCountry.callingCode + digits
    }

    /// Refuses a national number of another length: it may be an international one without its plus.
    func checkLength(defaultCountry: Country?) throws(AddressFault) {
        if !hasPlus, digits.utf8.count != defaultCountry?.numberLength { throw .wrongLength }
    }
}

/// Mobile numbers of Argentina (+54 9 11…) and Brazil (+55 11 9…) have a 9 that many people leave out. It is one number.
extension NumberingPlan {
    /// Where the 9 is, among the digits with the calling code.
    private var placeOfNine: Int? {
        switch callingCode {
        case "54": 2
        case "55": 4
        default: nil
        }
    }

    /// Digits that lack their 9, with it; nil for others.
    func withNine(_ digits: String) -> String? {
        guard let place = placeOfNine, digits.utf8.count == 12 else { return nil }
        let complete = digits.prefix(place) + "9" + digits.dropFirst(place)
        guard let kind = try? entry(of: String(complete)).kind, kind == .mobile else { return nil }
        return isLandline(digits) ? nil : String(complete)
    }

    /// The digits of a mobile number without its 9; nil if it has none.
    func withoutNine(_ digits: String) -> String? {
        guard let place = placeOfNine, digits.utf8.count == 13 else { return nil }
        let short = String(digits.prefix(place) + digits.dropFirst(place + 1))
        return withNine(short) == digits ? short : nil
    }

    /// In Brazil landlines begin with 2 to 5 after the area code. In Argentina nothing tells them apart.
    private func isLandline(_ digits: String) -> Bool {
        callingCode == "55" && (try? entry(of: digits).kind) == .fixed
    }
}

/// A country or territory with phone numbers of its own.
package struct Country: Sendable, Hashable {
    /// Of ISO 3166-1: `CN`. Kosovo, Ascension and Tristan da Cunha, which have none there, are `XK`, `AC` and `TA`.
    package let code: String
    /// What follows the plus: `86`. Countries may share one.
    package let callingCode: String
    /// How many digits its numbers have after the calling code; nil if that differs.
    let numberLength: Int?

    init(code: String, callingCode: String, numberLength: Int? = nil) {
        (self.code, self.callingCode, self.numberLength) = (code, callingCode, numberLength)
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
