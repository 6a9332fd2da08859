/// Why a phone number or a mail address is refused. Its explanation never contains the address.
package enum AddressFault: Error, Sendable, Hashable, CaseIterable {
    /// Nothing is left besides separators or spaces.
    case empty

    // Phone numbers
    case longNumber
    case numberCharacter
    case secondPlus
    case noPlus
    case doubleZero
    case trunkZero
    case tooManyDigits
    case noCountry
    case wrongLength
    case otherKind

    // Mail addresses
    case longAddress
    case nonASCII
    case control
    case atSign
    case localLength
    case localCharacter
    case localDots
    case addressLiteral
    case domainLabel
    case oneLabel
    case numericEnd
}

extension AddressFault {
    /// What the address must be, as the sentence of a field: "`to` must …".
    package var explanation: String {
        switch self {
        case .empty: "must not be empty"
        case .longNumber: "must be at most \(PhoneNumber.longestText) bytes"
        case .numberCharacter: "must have only digits, spaces, hyphens, dots and parentheses after its +"
        case .secondPlus: "must have only one +, before the first digit"
        case .noPlus: "must start with + and the calling code of a country"
        case .doubleZero: "must start with + and the calling code of a country, not with 00"
        case .trunkZero: "must not have a zero between the calling code and the number"
        case .tooManyDigits: "must have at most \(PhoneNumber.mostDigits) digits"
        case .noCountry: "must be a person's number in one country, not a service, satellite or unassigned number"
        case .wrongLength: "must have as many digits as the numbers of its country"
        case .otherKind: "must be a mobile number, or of another kind to which codes are sent here"
        case .longAddress: "must be at most \(EmailAddress.longest) bytes"
        case .nonASCII: "must have only ASCII characters; write an internationalised domain as xn--…"
        case .control: "must not contain spaces or control characters"
        case .atSign: "must have exactly one @"
        case .localLength: "must have 1 to \(EmailAddress.longestLocalPart) characters before its @"
        case .localCharacter: "must have only letters, digits, dots and !#$%&'*+/=?^_`{|}~- before its @"
        case .localDots: "must have a character on both sides of each dot before its @"
        case .addressLiteral: "must have the name of a domain after its @, not an IP address in brackets"
        case .domainLabel: "must have letters, digits and inner hyphens after its @, up to 63 between two dots"
        case .oneLabel: "must have a domain with a dot after its @"
        case .numericEnd: "must not end with a number after its last dot"
        }
    }
}
