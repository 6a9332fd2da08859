import JSON

/// How WeChat's JSON differs from that of others.
enum WeChatText {
    private static let backslash = UInt8(ascii: "\\")

    /// Slashes occur in strings only, where they may be escaped.
    static func escapingSlashes(_ json: [UInt8]) -> [UInt8] {
        json.flatMap { $0 == UInt8(ascii: "/") ? [backslash, $0] : [$0] }
    }

    /// Control characters as they are, which no strict parser accepts.
    static func withRawControlCharacters(_ json: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = json[...]
        while let byte = rest.popFirst() {
            guard byte == backslash, let kind = rest.first else {
                result.append(byte)
                continue
            }
            let length = kind == UInt8(ascii: "u") ? 5 : 1
            let escape = [byte] + rest.prefix(length)
            rest = rest.dropFirst(length)
            result += controlCharacter(escape).map { [$0] } ?? escape
        }
        return result
    }

    /// The control character that an escape stands for; nil if it stands for another one.
    private static func controlCharacter(_ escape: [UInt8]) -> UInt8? {
        let text = (try? JSONValue(parsing: [UInt8(ascii: "\"")] + escape + [UInt8(ascii: "\"")]))?.string
        guard let text, text.utf8.count == 1, let byte = text.utf8.first, byte < 0x20 else { return nil }
        return byte
    }
}
