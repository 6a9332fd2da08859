import JSON

extension [UInt8] {
    /// Reads hexadecimal digits, of which test vectors are made; anything else is a fault of the test.
    init(hexadecimal text: String) {
        precondition(text.utf8.count.isMultiple(of: 2))
        self = stride(from: 0, to: text.utf8.count, by: 2).map { offset in
            let start = text.utf8.index(text.startIndex, offsetBy: offset)
            return UInt8(text[start..<text.utf8.index(start, offsetBy: 2)], radix: 16)!
        }
    }
}

extension JSONObject {
    /// A literal of the test, which is valid.
    init(_ text: String) throws {
        self = try JSONValue(parsing: text).object!
    }
}
