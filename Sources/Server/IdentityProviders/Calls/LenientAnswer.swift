import JSON

/// The members of an answer by WeChat or QQ.
///
/// Their content type says nothing about the format or the encoding, some answers are JSONP or a form, nicknames may contain
/// raw control characters or half a character, and numbers may be strings. So all of these are read, whatever was asked for.
struct LenientAnswer {
    /// The largest answer that is read, in bytes.
    static let largest = 65_536

    private let members: JSONObject

    /// Nil for an answer that is too long, or has none of the formats.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.largest else { return nil }
        let text = AnswerText.cleaned(bytes)
        if text.first == UInt8(ascii: "{") {
            guard let object = Self.object(text) else { return nil }
            members = object
        } else if AnswerText.isCall(text) {
            guard let object = AnswerText.argument(ofCall: text).flatMap(Self.object) else { return nil }
            members = object
        } else {
            guard let fields = FormAnswer.fields(of: text) else { return nil }
            members = fields
        }
    }

    private static func object(_ text: ArraySlice<UInt8>) -> JSONObject? {
        (try? JSONValue(parsing: AnswerText.withoutTrailingComma(text)))?.object
    }

    /// Whether the member is there, with any value except null.
    func has(_ name: String) -> Bool { members[name].map { !$0.isNull } ?? false }

    /// A string, or a whole number as its decimal text.
    func text(_ name: String) -> String? {
        switch members[name] {
        case .string(let text): text
        case .integer(let number): "\(number)"
        default: nil
        }
    }

    /// A whole number, or a string with one.
    func number(_ name: String) -> Int64? {
        switch members[name] {
        case .string(let text): Int64(text)
        case .integer(let number): number
        default: nil
        }
    }

    /// The provider's error number; nil for none and for zero. A value that is no number is an unreadable answer, because it
    /// must not count as success.
    ///
    /// - Parameter path: of the call that got the answer.
    func errorNumber(_ name: String, at path: String) throws(CallFault) -> Int64? {
        guard has(name) else { return nil }
        guard let number = number(name) else { throw .unreadable(path) }
        return number == 0 ? nil : number
    }
}
