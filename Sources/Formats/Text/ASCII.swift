/// The classes of ASCII characters, asked of the bytes of UTF-8. Inlined: requests ask for each byte.
extension UInt8 {
    @inlinable package var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    /// No space and no control character.
    @inlinable package var isVisible: Bool { self >= 0x21 && self <= 0x7E }

    /// Visible, or a space.
    @inlinable package var isPrintable: Bool { self >= 0x20 && self <= 0x7E }

    @inlinable package var isUppercaseLetter: Bool { self >= 0x41 && self <= 0x5A }

    @inlinable package var isLowercaseLetter: Bool { self >= 0x61 && self <= 0x7A }

    @inlinable package var isLetter: Bool { (self | 0x20).isLowercaseLetter }

    @inlinable package var isAlphanumeric: Bool { isLetter || isDigit }

    /// What a URL may contain everywhere without an escape (RFC 3986, section 2.3).
    @inlinable package var isUnreserved: Bool {
        isAlphanumeric || self == 0x2D || self == 0x2E || self == 0x5F || self == 0x7E
    }

    /// The value of a hexadecimal digit; nil for another character.
    @inlinable package var hexadecimalDigit: UInt8? {
        if isDigit { return self & 0x0F }
        let letter = self | 0x20
        return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : nil
    }
}

extension FixedWidthInteger {
    /// Reads decimal digits only. `Int("+4")` also accepts a sign, which other programs may read differently.
    package init?(digits text: some StringProtocol) {
        guard text.utf8.allSatisfy(\.isDigit) else { return nil }
        self.init(text)
    }
}
