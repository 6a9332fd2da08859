import Text

/// A mail address in the one form in which Gatehouse compares and stores it.
///
/// The characters are those of a dot-atom (RFC 5321, section 4.1.2) before the `@`, and of host names after it. Nothing is
/// converted: a full-width `@` that became another address would let one party receive the codes of another. Dots and
/// `+tag` stay, because only some mail servers ignore them.
package struct EmailAddress: Sendable, Hashable {
    /// The whole address in lower case.
    package let text: String

    /// Of the path in SMTP, without its angle brackets (RFC 5321, section 4.5.3.1.3).
    static let longest = 254
    static let longestLocalPart = 64
    static let longestLabel = 63

    package init(_ written: String) throws(AddressFault) {
        let bytes = Self.trimmed(Array(written.utf8))
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.allSatisfy({ $0 < 0x80 }) else { throw .nonASCII }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw .control }
        guard bytes.count <= Self.longest else { throw .longAddress }
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .atSign }
        try Self.checkLocalPart(parts[0])
        try Self.checkDomain(parts[1])
        text = String(decoding: bytes, as: UTF8.self).withLowerASCII
    }

    private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var rest = bytes[...]
        while rest.first == UInt8(ascii: " ") { rest.removeFirst() }
        while rest.last == UInt8(ascii: " ") { rest.removeLast() }
        return rest
    }

    private static func checkLocalPart(_ part: ArraySlice<UInt8>) throws(AddressFault) {
        guard (1...longestLocalPart).contains(part.count) else { throw .localLength }
        guard part.allSatisfy({ $0.isAlphanumeric || ".!#$%&'*+/=?^_`{|}~-".utf8.contains($0) }) else {
            throw .localCharacter
        }
        let atoms = part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard atoms.allSatisfy({ !$0.isEmpty }) else { throw .localDots }
    }

    private static func checkDomain(_ domain: ArraySlice<UInt8>) throws(AddressFault) {
        guard domain.first != UInt8(ascii: "[") else { throw .addressLiteral }
        let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy(isLabel) else { throw .domainLabel }
        guard labels.count > 1, let last = labels.last else { throw .oneLabel }
        guard last.contains(where: { !$0.isDigit }) else { throw .numericEnd }
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...longestLabel).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { $0.isAlphanumeric || $0 == hyphen }
    }
}

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
