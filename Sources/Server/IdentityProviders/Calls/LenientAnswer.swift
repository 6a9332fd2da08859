import Gatehouse
import JSON
import Text

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

/// An id that a provider gives to a user, such as an openid: opaque, but printable and short.
enum ProviderID {
    private static let longest = 128

    static func isValid(_ text: String) -> Bool {
        isPrintable(text, atMost: longest)
    }

    /// Whether a text has at least one character, and only visible ASCII characters.
    static func isPrintable(_ text: String, atMost longest: Int) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy(\.isVisible)
    }
}

extension LenientAnswer {
    /// Nil if the member is missing, or has no valid id.
    func id(_ name: String) -> String? {
        guard let text = text(name), ProviderID.isValid(text) else { return nil }
        return text
    }

    /// An id that the provider may leave out, or leave empty.
    ///
    /// - Parameter path: of the call that got the answer.
    func optionalID(_ name: String, at path: String) throws(CallFault) -> String? {
        guard has(name), text(name) != "" else { return nil }
        guard let id = id(name) else { throw .unreadable(path) }
        return id
    }
}

/// A nickname as users choose it at a provider, which allows any characters.
enum ProviderNickname {
    private static let mostCharacters = 64
    /// A character may consist of any number of code points.
    private static let mostBytes = 512

    /// Without control characters, and cut between two characters; nil if nothing is left.
    static func cleaned(_ text: String) -> String? {
        var visible = String.UnicodeScalarView()
        visible.append(contentsOf: text.unicodeScalars.filter { $0.properties.generalCategory != .control })
        guard let trimmed = String(visible).trimmedOrNil else { return nil }
        var nickname = ""
        for character in trimmed.prefix(mostCharacters) {
            guard nickname.utf8.count + character.utf8.count <= mostBytes else { break }
            nickname.append(character)
        }
        return nickname.trimmedOrNil
    }
}

extension LenientAnswer {
    var nickname: String? { text("nickname").flatMap(ProviderNickname.cleaned) }
}
