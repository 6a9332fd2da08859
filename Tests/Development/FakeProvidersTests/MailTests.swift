import Testing

@testable import FakeProviders

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
