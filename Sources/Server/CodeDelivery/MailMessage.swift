import Gatehouse
import JOSE
import Text

/// A mail as it is sent: header and body, with CRLF at the end of each line.
///
/// Every value in the header is encoded or has been checked, so that none can begin another field. It says that a program has
/// sent the mail, so that no program answers it (RFC 3834).
struct MailMessage {
    let bytes: [UInt8]

    /// - Parameters:
    ///   - id: for the Message-ID: letters, digits, `-` and `_`.
    ///   - boundary: the same for what separates the parts, which must not be in them.
    init(_ text: MailText, from sender: MailSender, to recipient: String, date: Timestamp, id: String, boundary: String)
    {
        let fields = [
            "Date: \(MailDate.text(date))",
            "Message-ID: <\(id)@\(sender.domain)>",
            "From: \(MailHeader.mailbox(sender))",
            "To: <\(recipient)>",
            "Subject: \(MailHeader.text(text.subject))",
            "MIME-Version: 1.0",
            "Content-Language: \(text.language)",
            "Auto-Submitted: auto-generated",
            "X-Auto-Response-Suppress: All",
        ]
        bytes = Array((fields + Self.body(text, boundary)).map { $0 + "\r\n" }.joined().utf8)
    }

    /// The rest of the header and the body. The last alternative is the best one (RFC 2046, section 5.1.4).
    private static func body(_ text: MailText, _ boundary: String) -> [String] {
        let plain = part("text/plain", text.text)
        guard let html = text.html else { return plain }
        return ["Content-Type: multipart/alternative; boundary=\"\(boundary)\"", "", "--\(boundary)"] + plain
            + ["--\(boundary)"] + part("text/html", html) + ["--\(boundary)--"]
    }

    private static func part(_ type: String, _ text: String) -> [String] {
        let body = MailBody(text)
        return ["Content-Type: \(type); charset=utf-8", "Content-Transfer-Encoding: \(body.encoding)", ""] + body.lines
    }
}

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

    private static func isPrintableASCII(_ text: String) -> Bool { text.utf8.allSatisfy(\.isPrintable) }
}

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
        let isLiteral = byte.isVisible && byte != UInt8(ascii: "=") || isSpace && !isLast
        guard !isLiteral else { return String(UnicodeScalar(byte)) }
        let digits = String(byte, radix: 16, uppercase: true)
        return "=" + (digits.utf8.count == 1 ? "0" : "") + digits
    }
}

/// The date of a mail (RFC 5322, section 3.3): `Wed, 25 Nov 2026 12:00:00 +0000`.
enum MailDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let secondsPerDay: Int64 = 86_400

    static func text(_ time: Timestamp) -> String {
        // `2026-11-25T12:00:00.000Z`
        let parts = time.description.split { "-T.".contains($0) }
        guard parts.count > 4, let month = Int(parts[1]), months.indices.contains(month - 1) else { return "" }
        // 1 January 1970 was a Thursday.
        let day = Int((time.seconds / secondsPerDay) % 7)
        return "\(weekdays[max(0, day)]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) +0000"
    }
}
