/// A body of the type `application/x-www-form-urlencoded`, or a query, as OAuth clients send it (RFC 6749, appendix B).
///
/// Unknown parameters are ignored, because such clients send more of them.
struct Form {
    private let body: [UInt8]

    init(_ body: [UInt8]) {
        self.body = body
    }

    func values(of name: String) -> [String] {
        body.split(separator: UInt8(ascii: "&")).compactMap { Self.value(in: $0, of: name) }
    }

    /// Nil if it is missing, empty, or sent more than once.
    func single(_ name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 && !values[0].isEmpty ? values[0] : nil
    }

    /// A parameter that may be missing. An empty one counts as missing (RFC 6749, section 3.2).
    func optional(_ name: String, atMost limit: Int) throws(Problem) -> String? {
        values(of: name).allSatisfy(\.isEmpty) ? nil : try required(name, atMost: limit)
    }

    /// A parameter that must be sent once, with a value (RFC 6749, section 3.2).
    func required(_ name: String, atMost limit: Int) throws(Problem) -> String {
        let values = values(of: name)
        guard let value = values.first, !value.isEmpty else { throw Self.fault(name, "is required") }
        guard values.count == 1 else { throw Self.fault(name, "must be sent once") }
        guard value.utf8.count <= limit else { throw Self.fault(name, "must be at most \(limit) bytes") }
        return value
    }

    private static func fault(_ name: String, _ message: String) -> Problem {
        .invalidRequest([FieldError(field: name, message: message)])
    }

    /// The value of `name=value`; nil for another name.
    private static func value(in pair: ArraySlice<UInt8>, of name: String) -> String? {
        let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard decoded(parts[0]) == name else { return nil }
        return parts.count == 2 ? decoded(parts[1]) : ""
    }

    /// A plus is a space, and `%2B` a plus. An incomplete escape stays as it is.
    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let escaped = escapedByte(at: rest) {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The byte that two hexadecimal digits write.
    private static func escapedByte(at text: ArraySlice<UInt8>) -> UInt8? {
        let digits = String(decoding: text.prefix(2), as: UTF8.self)
        return digits.utf8.count == 2 && digits.first != "+" ? UInt8(digits, radix: 16) : nil
    }
}
