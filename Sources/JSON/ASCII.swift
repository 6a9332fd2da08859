// The bytes that the grammar names.

extension UInt8 {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let leftBrace = UInt8(ascii: "{")
    static let rightBrace = UInt8(ascii: "}")
    static let leftBracket = UInt8(ascii: "[")
    static let rightBracket = UInt8(ascii: "]")
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
    static let minus = UInt8(ascii: "-")
    static let zero = UInt8(ascii: "0")
    static let nine = UInt8(ascii: "9")

    var decimalDigit: UInt8? {
        self >= .zero && self <= .nine ? self - .zero : nil
    }

    var hexadecimalDigit: UInt8? {
        if let decimalDigit { return decimalDigit }
        let letter = self | 0x20
        return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "f") ? letter - UInt8(ascii: "a") + 10 : nil
    }
}
