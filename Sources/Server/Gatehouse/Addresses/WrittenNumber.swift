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
