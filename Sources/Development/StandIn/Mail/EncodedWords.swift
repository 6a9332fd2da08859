import JOSE

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
