import JOSE

/// What a person sees of a mail (RFC 5322).
struct Mail: Equatable {
    private static let digitsOfCode = 6

    let subject: String
    /// The part in plain text.
    let text: String
    let language: String?

    /// Checks more than a mail server does, so that a developer finds a mistake here and not at a spam filter.
    init(parsing bytes: [UInt8]) throws(MalformedMail) {
        let message = try MIMEEntity(parsing: bytes[...])
        for name in ["date", "from", "to", "message-id", "subject", "mime-version"] where message[name] == nil {
            throw MalformedMail("the header \(name) is missing")
        }
        guard let part = try message.firstPart(ofType: "text/plain") else {
            throw MalformedMail("there is no part of type text/plain")
        }
        subject = try EncodedWords.decode(message["subject"] ?? "")
        text = try part.text
        language = part["content-language"] ?? message["content-language"]
    }

    /// The first six digits in a row in the text.
    var code: String? {
        text.split { !$0.isASCII || !$0.isNumber }.first { $0.count == Self.digitsOfCode }.map(String.init)
    }
}

/// Why a message cannot be read. The description names no content of the message.
struct MalformedMail: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The value of `Content-Type`.
struct MIMEType: Equatable {
    /// In lower case.
    let name: String
    private let parameters: [String: String]

    init(_ value: String) {
        var parts = Self.split(value)
        name = parts.removeFirst().lowercased()
        let pairs = parts.compactMap { part -> (String, String)? in
            guard let equals = part.firstIndex(of: "=") else { return nil }
            return (part[..<equals].lowercased(), String(part[part.index(after: equals)...]))
        }
        parameters = Dictionary(pairs) { first, _ in first }
    }

    subscript(_ name: String) -> String? { parameters[name] }

    /// The parts between semicolons, without quotes and the spaces outside them. There is at least one.
    private static func split(_ value: String) -> [String] {
        var (parts, isQuoted, isEscaped) = ([""], false, false)
        for character in value {
            switch character {
            case _ where isEscaped:
                parts[parts.count - 1].append(character)
                isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case ";" where !isQuoted: parts.append("")
            case " " where !isQuoted, "\t" where !isQuoted: break
            default: parts[parts.count - 1].append(character)
            }
        }
        return parts
    }
}

/// Text in a header field (RFC 2047).
enum EncodedWords {
    private static let longest = 75

    /// Decodes words such as `=?UTF-8?B?…?=`. The space between two of them is not part of the text.
    static func decode(_ value: String) throws(MalformedMail) -> String {
        var (text, wasEncoded) = ("", false)
        for word in value.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            let decoded = try decodeWord(word)
            if !text.isEmpty, !(wasEncoded && decoded != nil) { text += " " }
            text += decoded ?? String(word)
            wasEncoded = decoded != nil
        }
        return text
    }

    /// Nil for a word that is not encoded.
    private static func decodeWord(_ word: Substring) throws(MalformedMail) -> String? {
        guard word.hasPrefix("=?"), word.hasSuffix("?="), word.count >= 4 else { return nil }
        let parts = word.dropFirst(2).dropLast(2).split(separator: "?", omittingEmptySubsequences: false)
        guard parts.count == 3, word.utf8.count <= longest, parts[0].lowercased() == "utf-8",
            let bytes = bytes(of: parts[2], parts[1].uppercased()), let text = String(validating: bytes, as: UTF8.self)
        else { throw MalformedMail("an encoded word is too long or malformed") }
        return text
    }

    private static func bytes(of content: Substring, _ encoding: String) -> [UInt8]? {
        switch encoding {
        case "B": Base64.decode(String(content))
        case "Q": TransferEncoding.quotedPrintable(Array(content.replacing("_", with: " ").utf8)[...])
        default: nil
        }
    }
}
