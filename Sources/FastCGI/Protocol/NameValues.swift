/// Name-value pairs (section 3.4): two lengths, the name and the value.
enum NameValues {
    /// Calls `body` with the ranges of each pair's name and value. Throws if a length exceeds the bytes.
    static func forEach(in bytes: Span<UInt8>, _ body: (Range<Int>, Range<Int>) -> Void) throws(Refusal) {
        var index = 0
        while index < bytes.count {
            guard let nameLength = length(in: bytes, at: &index),
                let valueLength = length(in: bytes, at: &index),
                nameLength + valueLength <= bytes.count - index
            else { throw .malformedParameters }
            let value = index + nameLength
            body(index..<value, value..<value + valueLength)
            index = value + valueLength
        }
    }

    /// Reads a length: one byte below 128, or four bytes in big-endian order with the highest bit set.
    static func length(in bytes: Span<UInt8>, at index: inout Int) -> Int? {
        guard index < bytes.count else { return nil }
        let size = bytes[index] < 0x80 ? 1 : 4
        guard bytes.count - index >= size else { return nil }
        defer { index += size }
        return (index + 1..<index + size).reduce(Int(bytes[index] & 0x7F)) { $0 << 8 | Int(bytes[$1]) }
    }
}
