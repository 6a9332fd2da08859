/// Name-value pairs (section 3.4): two lengths, then the name, then the value.
///
/// Every length is held against the bytes that are really there before it is believed.
enum NameValues {
    /// Tells of each pair where its name and value lie; false if a length leads out of `bytes`.
    static func forEach(in bytes: [UInt8], _ body: (_ name: Range<Int>, _ value: Range<Int>) -> Void) -> Bool {
        var index = 0
        while index < bytes.count {
            guard let nameLength = length(in: bytes, at: &index),
                let valueLength = length(in: bytes, at: &index),
                nameLength + valueLength <= bytes.count - index
            else { return false }
            let value = index + nameLength
            body(index..<value, value..<value + valueLength)
            index = value + valueLength
        }
        return true
    }

    /// One length: a byte below 128, or four with the highest bit set, the most significant first.
    static func length(in bytes: [UInt8], at index: inout Int) -> Int? {
        guard index < bytes.count else { return nil }
        let first = bytes[index]
        if first < 0x80 {
            index += 1
            return Int(first)
        }
        guard bytes.count - index >= 4 else { return nil }
        defer { index += 4 }
        return Int(first & 0x7F) << 24 | Int(bytes[index + 1]) << 16 | Int(bytes[index + 2]) << 8
            | Int(bytes[index + 3])
    }

    /// A pair as it is written. Our own are far below what four bytes can count.
    static func pair(_ name: String, _ value: String) -> [UInt8] {
        [name, value].flatMap { text in
            let count = UInt32(clamping: text.utf8.count)
            return count < 0x80
                ? [UInt8(count)]
                : [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (count | 0x8000_0000) >> $0) }
        } + Array(name.utf8) + Array(value.utf8)
    }

    /// Digits alone. A number too large for an `Int` is as large as one can be.
    static func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard digit >= 0x30 && digit <= 0x39 else { return nil }
            let (product, tooLarge) = number.multipliedReportingOverflow(by: 10)
            if tooLarge { return .max }
            let (sum, overflow) = product.addingReportingOverflow(Int(digit - 0x30))
            if overflow { return .max }
            number = sum
        }
        return digits.isEmpty ? nil : number
    }
}
