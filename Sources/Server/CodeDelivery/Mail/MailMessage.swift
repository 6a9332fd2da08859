import Gatehouse

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
