extension JSONValue {
    /// How deep objects and arrays may nest: far more than any honest body, far less than any stack.
    public static let maximumDepth = 32

    /// Reads exactly one value; the text must be strict RFC 8259 in UTF-8 and nothing may follow it but whitespace.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        var parser = try JSONParser(validating: bytes)
        self = try parser.document { (parser) throws(JSONError) in try parser.value() }
    }

    public init(parsing bytes: some Collection<UInt8>) throws(JSONError) {
        try self.init(parsing: Array(bytes))
    }

    public init(parsing text: String) throws(JSONError) {
        try self.init(parsing: Array(text.utf8))
    }
}
