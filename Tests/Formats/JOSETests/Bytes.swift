import JSON

extension [UInt8] {
    /// Parses the hexadecimal digits of a test vector; anything else is an error in the test.
    init(hexadecimal text: String) {
        precondition(text.utf8.count.isMultiple(of: 2))
        self = stride(from: 0, to: text.utf8.count, by: 2).map { offset in
            let start = text.utf8.index(text.startIndex, offsetBy: offset)
            return UInt8(text[start..<text.utf8.index(start, offsetBy: 2)], radix: 16)!
        }
    }
}

extension JSONObject {
    /// A valid literal.
    init(_ text: String) throws {
        self = try JSONValue(parsing: text).object!
    }
}
