import JSON
import Testing

@testable import StandIn

@Suite("A mail")
struct MailTests {
    private static let header = """
        Date: Wed, 25 Nov 2026 12:00:00 +0000
        From: =?UTF-8?B?5rWL6K+V?= <login@example.com>
        To: ann@example.com
        Message-ID: <1@example.com>
        MIME-Version: 1.0

        """

    /// - Parameters:
    ///   - fields: further header fields.
    ///   - without: the name of a field to leave out.
    private static func parse(_ fields: String, _ body: String, without name: String? = nil) throws -> Mail {
        let lines = (header + fields).split(separator: "\n").filter { !$0.hasPrefix("\(name ?? "?"):") }
        let text = lines.joined(separator: "\r\n") + "\r\n\r\n" + body.replacing("\n", with: "\r\n")
        return try Mail(parsing: Array(text.utf8))
    }

    private static let plain = "Subject: s\nContent-Type: text/plain; charset=utf-8\n"

    @Test(
        "a subject is decoded",
        arguments: [
            ("Your code", "Your code"), ("=?UTF-8?B?6aqM6K+B56CB?= 042137", "验证码 042137"),
            ("=?utf-8?b?6aqM?=\n =?UTF-8?B?6K+B?=", "验证"), ("=?UTF-8?Q?caf=C3=A9_au?= lait", "café au lait"),
            ("a=?b", "a=?b"), ("one\n two", "one two"),
        ])
    func subject(encoded: String, subject: String) throws {
        let mail = try Self.parse("Subject: \(encoded)\nContent-Type: text/plain\n", "")
        #expect(mail.subject == subject)
    }

    @Test(
        "a text is decoded",
        arguments: [
            ("7bit", "code 042137\n", "code 042137\n"), ("8bit", "验证码\n", "验证码\n"),
            ("base64", "6aqM6K+B\n56CBIDA0MjEzNw==\n", "验证码 042137"),
            ("quoted-printable", "caf=C3=A9 =\n042137\n=3D", "café 042137\n="),
        ])
    func text(encoding: String, body: String, text: String) throws {
        let mail = try Self.parse(Self.plain + "Content-Transfer-Encoding: \(encoding)\nContent-Language: fr\n", body)
        #expect(mail.text == text)
        #expect(mail.language == "fr")
    }

    private static let parts = """
        preamble
        --b/1
        Content-Type: text/plain; charset=utf-8
        Content-Language: zh

        text 042137
        --b/1
        Content-Type: text/html

        <p>html
        --b/1--

        """

    @Test("of several parts, the plain text counts")
    func alternatives() throws {
        let mail = try Self.parse("Subject: s\nContent-Type: multipart/alternative; boundary=\"b/1\"\n", Self.parts)
        #expect(mail.subject == "s" && mail.text == "text 042137" && mail.language == "zh")
        let nested = "--outer\nContent-Type: multipart/alternative; boundary=\"b/1\"\n\n\(Self.parts)\n--outer--\n"
        #expect(try Self.parse("Subject: s\nContent-Type: multipart/mixed; boundary=outer\n", nested) == mail)
    }

    @Test(
        "the code is the first number of six digits",
        arguments: [
            ("042137", "042137"), ("it is 042137.", "042137"), ("1234567 and 123456", "123456"),
            ("验证码042137，", "042137"), ("1234 56", nil), ("", nil), ("１２３４５６", nil),
        ])
    func code(text: String, code: String?) throws {
        #expect(try Self.parse(Self.plain + "Content-Transfer-Encoding: 8bit\n", text).code == code)
    }

    @Test(
        "a mail without a header field that spam filters ask for is refused",
        arguments: ["Date", "From", "To", "Message-ID", "MIME-Version", "Subject"])
    func missing(name: String) {
        #expect(throws: MalformedMail("the header \(name.lowercased()) is missing")) {
            try Self.parse(Self.plain, "", without: name)
        }
    }

    @Test(
        "a malformed mail is refused",
        arguments: [
            ("Subject: é\nContent-Type: text/plain", ""), ("Subject: =?UTF-8?B?6aq?=\nContent-Type: text/plain", ""),
            ("Subject: =?UTF-8?B?\(String(repeating: "YWJj", count: 17))?=\nContent-Type: text/plain", ""),
            ("Subject: =?GBK?B?6aqM?=\nContent-Type: text/plain", ""), ("Subject: s\nno field", ""),
            ("Subject: s\nContent-Type: text/html", "<p>"), ("Subject: s\nContent-Type: text/plain; charset=gbk", ""),
            ("Subject: s\nContent-Type: text/plain; charset=utf-8", "é"),
            ("Subject: s\nContent-Transfer-Encoding: base64", "YQ"),
            ("Subject: s\nContent-Transfer-Encoding: quoted-printable", "=XX"),
            ("Subject: s\nContent-Transfer-Encoding: x", "a"), ("Subject: s\nContent-Type: multipart/mixed", "--\n"),
            ("Subject: s\nContent-Type: multipart/mixed; boundary=b", "--b\n\ntext\n"),
        ])
    func malformed(fields: String, body: String) {
        #expect(throws: MalformedMail.self) { try Self.parse(fields + "\n", body) }
    }
}

@Suite("A connection to the mail server")
struct MailSessionTests {
    /// The status after each line; nil for a line of a message, and 0 for a complete message.
    private static func statuses(
        _ lines: [String], settings: MailSettings = MailSettings(), fault: MailFault? = nil
    ) -> [Int?] {
        var session = SMTPSession(settings)
        return lines.map { line in
            switch session.take(Array(line.utf8), fault: fault) {
            case .reply(let reply): reply?.code
            case .message: 0
            }
        }
    }

    private static let start = ["EHLO client", "MAIL FROM:<a@example.com> SIZE=100", "RCPT TO:<b@example.com>"]

    @Test("a message is sent with the usual commands, in any case of letters")
    func usual() {
        let lines = ["ehlo client", "mail from:<>", "rcpt to:<b@example.com>", "data", "A: b", "", ".", "NOOP", "QUIT"]
        #expect(Self.statuses(lines) == [250, 250, 250, 354, nil, nil, 0, 250, 221])
    }

    @Test("the dot that a client adds to a line is removed")
    func dots() {
        var session = SMTPSession(MailSettings())
        for line in Self.start + ["DATA", "..", "...a", ".b", "c"] {
            _ = session.take(Array(line.utf8), fault: nil)
        }
        guard case .message(let delivery) = session.take([UInt8(ascii: ".")], fault: nil) else {
            Issue.record("no message")
            return
        }
        #expect(String(decoding: delivery.content, as: UTF8.self) == ".\r\n..a\r\nb\r\nc\r\n")
        #expect(delivery.recipients == ["b@example.com"])
    }

    @Test(
        "a command out of order is refused",
        arguments: [
            ["MAIL FROM:<a@example.com>"], ["RCPT TO:<b@example.com>"], ["DATA"], ["AUTH PLAIN AGEAYg=="],
            ["EHLO client", "DATA"], ["EHLO client", "MAIL FROM:<a@example.com>", "DATA"],
            start + ["MAIL FROM:<a@example.com>"], start + ["RSET", "DATA"], start + ["EHLO client", "DATA"],
            ["EHLO client", "AUTH PLAIN AGEAYg==", "AUTH PLAIN AGEAYg=="],
        ])
    func order(lines: [String]) {
        #expect(Self.statuses(lines).last == 503)
    }

    @Test(
        "a malformed command is refused with its status",
        arguments: [
            ("EHLO", 501), ("HELO ", 501), ("STARTTLS", 500), ("", 500), ("MAIL a@example.com", 501),
            ("MAIL FROM:a@example.com", 501), ("MAIL FROM:<a@b@c>", 501), ("MAIL FROM:<a b@example.com>", 501),
            ("MAIL FROM:<@example.com>", 501), ("MAIL FROM:<a@example.com> X=1", 555),
            ("MAIL FROM:<a@example.com> SIZE=262145", 552), ("AUTH", 504), ("AUTH X", 504), ("AUTH PLAIN !", 501),
            ("AUTH PLAIN YQ==", 501), ("VRFY a", 252),
        ])
    func malformed(line: String, status: Int) {
        #expect(Self.statuses(["EHLO client", line]).last == status)
    }

    @Test("a recipient needs an address, and there are at most a hundred", arguments: ["TO:<>", "TO:b", "<b@c.d>"])
    func recipients(argument: String) {
        #expect(Self.statuses(Self.start.dropLast() + ["RCPT " + argument]).last == 501)
        let recipients = [String](repeating: "RCPT TO:<b@example.com>", count: 101)
        #expect(Self.statuses(Self.start.dropLast() + recipients).suffix(2) == [250, 452])
    }

    @Test(
        "credentials are sent with PLAIN or LOGIN, with or without an initial response",
        arguments: [
            ["AUTH PLAIN AGFubgBzZWNyZXQ="], ["AUTH PLAIN", "AGFubgBzZWNyZXQ="], ["AUTH LOGIN", "YW5u", "c2VjcmV0"],
            ["AUTH LOGIN YW5u", "c2VjcmV0"],
        ])
    func credentials(lines: [String]) throws {
        let settings = try MailSettings(["username": "ann", "password": "secret"])
        #expect(Self.statuses(["EHLO client"] + lines, settings: settings).last == 235)
        let others = try MailSettings(["username": "ann", "password": "other"])
        #expect(Self.statuses(["EHLO client"] + lines, settings: others).last == 535)
        #expect(Self.statuses(["EHLO client"] + lines).last == 235)
        #expect(Self.statuses(["EHLO client"] + lines, fault: .badCredentials).last == 535)
    }

    @Test("a cancelled login leaves the connection usable")
    func cancelled() {
        #expect(Self.statuses(["EHLO client", "AUTH LOGIN", "*", "NOOP"]) == [250, 334, 501, 250])
    }

    @Test("without its credentials a client sends nothing")
    func unauthenticated() throws {
        let settings = try MailSettings(["username": "ann", "password": "secret"])
        #expect(Self.statuses(["EHLO client", "MAIL FROM:<>"], settings: settings).last == 530)
        #expect(Self.statuses(["EHLO client", "MAIL FROM:<>"], fault: .badCredentials).last == 530)
    }

    @Test("a recipient is refused on demand", arguments: [MailFault.mailboxBusy, .unknownMailbox])
    func refusedRecipient(fault: MailFault) {
        #expect(Self.statuses(Self.start, fault: fault).last == Int(fault.rawValue))
    }

    @Test("a message that is larger than announced is refused, and the next one accepted")
    func tooLarge() {
        let line = String(repeating: "a", count: 1022)
        let content = [String](repeating: line, count: 257)
        let next = Self.start.dropFirst() + ["DATA", "."]
        let statuses = Self.statuses(Self.start + ["DATA"] + content + ["."] + next)
        #expect(statuses.dropFirst(4 + 257).first == 552)
        #expect(statuses.last == 0)
    }

    @Test("lines end with CRLF, and have at most a thousand bytes")
    func lines() {
        func read(_ text: String) -> SMTPLines.Line? {
            var lines = SMTPLines()
            lines.append(Array(text.utf8)[...])
            return lines.next()
        }
        #expect(read("NOOP\r\nQUIT\r\n") == .complete(Array("NOOP".utf8)))
        #expect(read("\r\n") == .complete([]))
        #expect(read("NOOP\r") == nil)
        #expect(read("NOOP\n") == .malformed)
        #expect(read(String(repeating: "a", count: 998) + "\r\n") == .complete([UInt8](repeating: 97, count: 998)))
        #expect(read(String(repeating: "a", count: 999) + "\r\n") == .malformed)
        #expect(read(String(repeating: "a", count: 1001)) == .malformed)
    }
}
