extension JSONParser {
    /// Reads a number: `.integer` if it is written as a whole number and fits `Int64`, otherwise `.number`.
    mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let isNegative = current == .minus
        if isNegative { position += 1 }
        let integer = try integerPart(isNegative: isNegative)
        let hasFraction = try skipFraction()
        let hasExponent = try skipExponent()
        if let integer, !hasFraction, !hasExponent { return .integer(integer) }
        guard let value = Double(String(decoding: bytes[start..<position], as: UTF8.self)), value.isFinite else {
            throw .range(offset: start)
        }
        return .number(value)
    }

    /// The digits before the decimal point; nil if they exceed `Int64`.
    private mutating func integerPart(isNegative: Bool) throws(JSONError) -> Int64? {
        let first = position
        var value: Int64? = 0
        while let digit = current.decimalDigit {
            value = value?.appending(digit: isNegative ? -Int64(digit) : Int64(digit))
            position += 1
        }
        let hasLeadingZero = position - first > 1 && bytes[first] == .zero
        guard position > first, !hasLeadingZero else { throw .syntax(offset: first) }
        return value
    }

    private mutating func skipFraction() throws(JSONError) -> Bool {
        guard current == UInt8(ascii: ".") else { return false }
        position += 1
        try skipDigits()
        return true
    }

    private mutating func skipExponent() throws(JSONError) -> Bool {
        guard current | 0x20 == UInt8(ascii: "e") else { return false }
        position += 1
        if current == .minus || current == UInt8(ascii: "+") { position += 1 }
        try skipDigits()
        return true
    }

    private mutating func skipDigits() throws(JSONError) {
        guard current.decimalDigit != nil else { throw unexpected }
        while current.decimalDigit != nil { position += 1 }
    }
}

extension Int64 {
    /// Nil on overflow.
    fileprivate func appending(digit: Int64) -> Int64? {
        let (tenfold, tooLarge) = multipliedReportingOverflow(by: 10)
        let (sum, overflows) = tenfold.addingReportingOverflow(digit)
        return tooLarge || overflows ? nil : sum
    }
}
