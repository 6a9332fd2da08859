/// Name-value pairs (section 3.4): two lengths, then the name, then the value.
enum NameValues {
    /// Calls `body` with the place of each pair's name and value. Every length is compared with the bytes that are there.
    static func forEach(
        in bytes: Span<UInt8>, _ body: (_ name: Range<Int>, _ value: Range<Int>) -> Void
    ) throws(Refusal) {
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

    /// One length: a byte below 128, or four with the highest bit set, the most significant first.
    static func length(in bytes: Span<UInt8>, at index: inout Int) -> Int? {
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

    /// A pair of a name and a value below 128 bytes each.
    static func shortPair(_ name: String, _ value: String) -> [UInt8] {
        [UInt8(name.utf8.count), UInt8(value.utf8.count)] + Array(name.utf8) + Array(value.utf8)
    }
}
