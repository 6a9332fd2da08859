import Text

/// The service that confirms an identity: Apple, the development login, or one that the operator has configured.
package struct Provider: RawRepresentable, Sendable, Hashable {
    /// In upper case, as in JSON and in the database: `APPLE`.
    package let rawValue: String

    package static let dev = Provider(known: "DEV")
    package static let apple = Provider(known: "APPLE")

    init(known name: String) {
        rawValue = name
    }

    /// Nil for a text that cannot be the name of a provider: up to 32 of A to Z, 0 to 9 and `_`, the first one a letter.
    package init?(rawValue: String) {
        guard (1...Self.longestName).contains(rawValue.utf8.count), rawValue.utf8.first.map(Self.isLetter) == true,
            rawValue.utf8.allSatisfy({ Self.isLetter($0) || Self.isOther($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    private static let longestName = 32

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    private static func isOther(_ byte: UInt8) -> Bool {
        byte.isDigit || byte == UInt8(ascii: "_")
    }
}

extension Provider {
    /// In lower case, as in paths, in metrics and as the name of the provider's file: `apple`.
    package var lowercaseName: String { rawValue.lowercased() }

    /// - Parameter name: in lower case.
    package init?(lowercaseName name: String) {
        guard !name.utf8.contains(where: Self.isLetter) else { return nil }
        self.init(anyCase: name)
    }

    /// Only ASCII: other characters may become A to Z in upper case, and one name would be that of two files.
    package init?(anyCase name: String) {
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        self.init(rawValue: name.uppercased())
    }
}
