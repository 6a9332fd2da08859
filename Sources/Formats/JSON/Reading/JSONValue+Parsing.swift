extension JSONValue {
    /// The maximum nesting of objects and arrays: more than any valid request needs, and less than the stack allows.
    public static let maximumDepth = 32

    /// Parses a text with exactly one value: strict RFC 8259 in UTF-8, followed only by whitespace.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        var parser = try JSONParser(validating: bytes)
        self = try parser.document { (parser) throws(JSONError) in try parser.value() }
    }

    public init(parsing text: String) throws(JSONError) {
        try self.init(parsing: Array(text.utf8))
    }
}
