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
        guard part.allSatisfy({ isAlphanumeric($0) || ".!#$%&'*+/=?^_`{|}~-".utf8.contains($0) }) else {
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
        guard last.contains(where: { !isDigit($0) }) else { throw .numericEnd }
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...longestLabel).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
