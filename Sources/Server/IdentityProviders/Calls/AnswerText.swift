import JSON
import Text

/// What surrounds and disturbs the JSON of an answer.
enum AnswerText {
    private static let space = UInt8(ascii: " ")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Valid UTF-8 without a byte order mark, without control characters, and without spaces at its ends. Between the tokens
    /// of JSON a space means the same as any control character that is allowed there.
    static func cleaned(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let repaired = String(decoding: bytes, as: UTF8.self).utf8.map { $0 < space ? space : $0 }
        return trimmed(repaired.starts(with: byteOrderMark) ? repaired.dropFirst(3) : repaired[...])
    }

    /// Whether the text is JSONP, or the beginning of it: a name and a parenthesis.
    static func isCall(_ text: ArraySlice<UInt8>) -> Bool {
        let rest = text.drop(while: isNameByte)
        return rest.count < text.count && trimmed(rest).first == UInt8(ascii: "(")
    }

    /// What is between the first and the last parenthesis; nil if one is missing.
    static func argument(ofCall text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let opening = text.firstIndex(of: UInt8(ascii: "(")), let closing = text.lastIndex(of: UInt8(ascii: ")")),
            opening < closing
        else { return nil }
        return trimmed(text[(opening + 1)..<closing])
    }

    /// Removes the comma before the brace at the end. QQ's documentation has such answers.
    static func withoutTrailingComma(_ object: ArraySlice<UInt8>) -> [UInt8] {
        guard object.last == UInt8(ascii: "}") else { return Array(object) }
        let inner = trimmed(object.dropLast())
        return inner.last == UInt8(ascii: ",") ? inner.dropLast() + [UInt8(ascii: "}")] : Array(object)
    }

    /// Whether a byte may be in the name of a JavaScript function, or of a form field.
    static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "_$.".utf8.contains(byte)
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = text.drop { $0 == space }
        return start.prefix(upTo: start.lastIndex { $0 != space }.map { $0 + 1 } ?? start.startIndex)
    }
}

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
            let value = FormEncoding.decode(rest.dropFirst())
            guard value.isValid else { return nil }
            fields[key] = .string(value.text)
        }
        return fields
    }
}
