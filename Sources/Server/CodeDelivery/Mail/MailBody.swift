import JOSE

/// The text of a part in an encoding that every mail server passes on.
struct MailBody {
    let encoding: String
    let lines: [String]

    /// Filters take English text in base64 for an attempt to hide it, and Chinese text has three times its length in
    /// quoted-printable.
    init(_ text: String) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            encoding = "quoted-printable"
            lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
                QuotedPrintable.lines(of: $0)
            }
        } else {
            encoding = "base64"
            lines = Self.base64Lines(text)
        }
    }

    private static let longestLine = 76

    private static func base64Lines(_ text: String) -> [String] {
        let bytes = Array(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n").utf8)
        return stride(from: 0, to: bytes.count, by: longestLine / 4 * 3).map { start in
            Base64.encode(Array(bytes[start..<min(bytes.count, start + longestLine / 4 * 3)]))
        }
    }
}

/// The quoted-printable encoding (RFC 2045, section 6.7).
enum QuotedPrintable {
    /// With the `=` that continues it on the next one.
    private static let longestLine = 76

    /// The encoded lines of one line of text.
    static func lines(of line: some StringProtocol) -> [String] {
        var lines = [""]
        let bytes = Array(line.utf8)
        for (index, byte) in bytes.enumerated() {
            let token = token(byte, isLast: index == bytes.count - 1)
            if lines[lines.count - 1].utf8.count + token.utf8.count >= longestLine {
                lines[lines.count - 1] += "="
                lines.append("")
            }
            lines[lines.count - 1] += token
        }
        return lines
    }

    /// A server may remove spaces at the end of a line, so the last one is encoded.
    private static func token(_ byte: UInt8, isLast: Bool) -> String {
        let isSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        let isLiteral = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=") || isSpace && !isLast
        guard !isLiteral else { return String(UnicodeScalar(byte)) }
        let digits = String(byte, radix: 16, uppercase: true)
        return "=" + (digits.utf8.count == 1 ? "0" : "") + digits
    }
}
