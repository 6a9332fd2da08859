import JSON

/// An answer in `application/x-www-form-urlencoded`.
enum FormAnswer {
    /// The fields as strings. Nil for a text that is no form: each field needs a plain name, so that a piece of another
    /// format, in which a user may have chosen the text, cannot pass for one. A name that occurs twice is refused as in JSON.
    static func fields(of text: ArraySlice<UInt8>) -> JSONObject? {
        var fields = JSONObject()
        for field in text.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let name = field.prefix(while: AnswerText.isNameByte)
            let rest = field.dropFirst(name.count)
            let key = String(decoding: name, as: UTF8.self)
            guard !name.isEmpty, rest.first == UInt8(ascii: "="), fields[key] == nil else { return nil }
            guard let value = decoded(rest.dropFirst()) else { return nil }
            fields[key] = .string(value)
        }
        return fields
    }

    /// Nil if a percent sign is not followed by two hexadecimal digits.
    private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let first = digit(rest.popFirst()), let second = digit(rest.popFirst()) else { return nil }
                bytes.append(first << 4 | second)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Character(Unicode.Scalar($0)).hexDigitValue }.map { UInt8($0) }
    }
}
