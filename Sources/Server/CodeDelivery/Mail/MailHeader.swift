import JOSE

/// Text in fields of a mail's header. Text beyond printable ASCII is in encoded words (RFC 2047).
enum MailHeader {
    /// The longest name of a field that has such text, with its colon and space.
    private static let longestName = "Subject: ".utf8.count
    private static let longestLine = 76
    private static let (wordStart, wordEnd) = ("=?UTF-8?B?", "?=")

    /// Unstructured text, folded. A control character becomes a space.
    static func text(_ text: String) -> String {
        let text = withoutControls(text)
        let isPlain = isPrintableASCII(text) && !text.contains("=?") && text.first != " " && text.last != " "
        return isPlain && longestName + text.utf8.count <= longestLine ? text : encodedWords(text)
    }

    /// A name and an address.
    static func mailbox(_ sender: MailSender) -> String {
        guard let name = sender.name else { return "<\(sender.address)>" }
        // The address may be long, so it has a line of its own.
        return phrase(name) + "\r\n <\(sender.address)>"
    }

    private static func phrase(_ name: String) -> String {
        let quoted = "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        return isPrintableASCII(name) && longestName + quoted.utf8.count <= longestLine ? quoted : encodedWords(name)
    }

    /// A word encodes whole characters, and each one is on a line of its own.
    private static func encodedWords(_ text: String) -> String {
        let room = longestLine - longestName - wordStart.utf8.count - wordEnd.utf8.count
        let byteCount = room / 4 * 3
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > byteCount { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { wordStart + Base64.encode($0) + wordEnd }.joined(separator: "\r\n ")
    }

    private static func withoutControls(_ text: String) -> String {
        var clean = ""
        for scalar in text.unicodeScalars {
            clean.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return clean
    }

    private static func isPrintableASCII(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}
