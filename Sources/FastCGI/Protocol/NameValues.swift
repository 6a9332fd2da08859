/// Name-value pairs (section 3.4): two lengths, then the name, then the value.
enum NameValues {
    /// Calls `body` with the place of each pair's name and value. Every length is compared with the bytes that are there.
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

    /// One length: a byte below 128, or four with the highest bit set, the most significant first.
    static func length(in bytes: Span<UInt8>, at index: inout Int) -> Int? {
        guard index < bytes.count else { return nil }
        let size = bytes[index] < 0x80 ? 1 : 4
        guard bytes.count - index >= size else { return nil }
        defer { index += size }
        return (index + 1..<index + size).reduce(Int(bytes[index] & 0x7F)) { $0 << 8 | Int(bytes[$1]) }
    }
}
