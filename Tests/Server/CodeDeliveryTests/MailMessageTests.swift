import Foundation
import Gatehouse
import JSON
import TestSupport
import Testing

@testable import CodeDelivery

@Suite("The format of mails")
struct MailMessageTests {
    private static let reader = #"""
        import email, email.policy, json, sys
        from email.header import decode_header, make_header
        from email.utils import parseaddr
        content = sys.stdin.buffer.read()
        message = email.message_from_bytes(content, policy=email.policy.default)
        parts = [part for part in message.walk() if not part.is_multipart()]
        # Whether a part ends in a line end depends on its encoding.
        text = lambda part: part.get_content().replace("\r\n", "\n").rstrip("\n")
        defects = [part.defects for part in message.walk()] + [value.defects for value in message.values()]
        # The parser of the default policy puts spaces between the encoded words of a name.
        name, address = parseaddr(email.message_from_bytes(content)["From"])
        json.dump({
            "defects": [str(defect) for list in defects for defect in list],
            "headers": {name: str(value) for name, value in message.items()},
            "type": message.get_content_type(), "from": [str(make_header(decode_header(name))), address],
            "parts": [[part.get_content_type(), text(part)] for part in parts],
            "encodings": [part["Content-Transfer-Encoding"] for part in parts]}, sys.stdout)
        """#

    /// A mail as Python's mail parser reads it.
    private func read(_ mail: MailMessage) throws -> JSONObject {
        let output = try Shell.run(["python3", "-c", Self.reader], input: mail.bytes)
        return try #require(JSONValue(parsing: output).object)
    }

    private func mail(
        _ text: MailText, from: String = "Example <codes@example.com>"
    ) throws -> MailMessage {
        MailMessage(
            text, from: try #require(MailSender(from)), to: Sample.mailAddress, date: Sample.now, id: "id-1",
            boundary: "boundary-1")
    }

    private func built(_ language: String, app: String = "Example") throws -> MailText {
        try MessageTemplates().mail(
            MessageValues(app: app, domain: nil, content: Sample.mail().content), for: language)
    }

    @Test(
        "A mail parser reads what the templates say, the text first; the HTML loads nothing and links nowhere",
        arguments: ["en", "zh"])
    func wholeMail(language: String) throws {
        let text = try built(language, app: "示例 & <App>")
        let mail = try read(mail(text))
        #expect(mail["defects"] == [] && mail["headers"]?.object?["Subject"]?.string == text.subject)
        #expect(mail["type"]?.string == "multipart/alternative")
        #expect(
            mail["parts"] == [
                ["text/plain", .string(text.text)], ["text/html", .string(text.html ?? "")],
            ])
        let html = try #require(text.html).lowercased()
        for word in ["http", "src", "href", "url(", "<img", "<script", "<link", "@import"] {
            #expect(!html.contains(word))
        }
    }

    @Test("The header names the program as the sender, so that no program answers")
    func header() throws {
        let header = try #require(try read(mail(built("zh"), from: "codes@example.com"))["headers"]?.object)
        #expect(header["Date"]?.string == "Wed, 25 Nov 2026 12:00:00 +0000")
        #expect(header["Message-ID"]?.string == "<id-1@example.com>" && header["From"]?.string == "codes@example.com")
        #expect(header["To"]?.string == Sample.mailAddress && header["MIME-Version"]?.string == "1.0")
        #expect(header["Content-Language"]?.string == "zh" && header["Auto-Submitted"]?.string == "auto-generated")
        #expect(header["X-Auto-Response-Suppress"]?.string == "All")
    }

    @Test(
        "A subject arrives unchanged, in lines of at most 76 bytes",
        arguments: [
            "042137 is your code", "验证码：042137", String(repeating: "长", count: 100), String(repeating: "a", count: 67),
            String(repeating: "long ", count: 40) + ".", "=?UTF-8?B?YQ==?=", "a \u{1F511}\u{1F511}\u{1F511} b",
            "quote \" back \\ slash", " space ", "é",
        ])
    func subject(subject: String) throws {
        let mail = try mail(MailText(language: "en", subject: subject, text: "Text", html: nil))
        #expect(try read(mail)["headers"]?.object?["Subject"]?.string == subject)
        let lines = String(decoding: mail.bytes, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 76 && $0.utf8.allSatisfy { $0 < 0x80 } })
    }

    @Test(
        "The name of the sender arrives unchanged",
        arguments: [
            "Example", "Example, Inc.", "示例应用", "He said \\\"hi\\\"", "O'Hara & Sons",
            String(repeating: "名", count: 60),
        ])
    func senderName(name: String) throws {
        let text = MailText(language: "en", subject: "Subject", text: "Text", html: nil)
        let mail = try read(mail(text, from: "\"\(name)\" <codes@example.com>"))
        #expect(mail["from"] == [.string(name.replacing("\\", with: "")), "codes@example.com"])
        #expect(mail["defects"] == [])
    }

    @Test(
        "A text without HTML arrives unchanged as plain text, in lines of at most 76 bytes",
        arguments: [
            ("Plain text\n\nof lines", "quoted-printable"), (".\n..\n.dot", "quoted-printable"),
            ("a = b = \t", "quoted-printable"), ("ends with a space \nnext", "quoted-printable"),
            (String(repeating: "word ", count: 100), "quoted-printable"),
            (String(repeating: "=", count: 200), "quoted-printable"), ("From here", "quoted-printable"),
            (String(repeating: "x", count: 75), "quoted-printable"),
            (String(repeating: "x", count: 76), "quoted-printable"), ("", "quoted-printable"),
            ("验证码 042137\n第二行", "base64"), (String(repeating: "字\n", count: 200) + "字", "base64"),
        ])
    func text(text: String, encoding: String) throws {
        let mail = try mail(MailText(language: "en", subject: "Subject", text: text, html: nil))
        let read = try read(mail)
        #expect(read["type"]?.string == "text/plain" && read["parts"] == [["text/plain", .string(text)]])
        #expect(read["encodings"] == [.string(encoding)])
        let lines = String(decoding: mail.bytes, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 76 && !$0.contains("\n") && !$0.contains("\r") })
        #expect(lines.allSatisfy { $0.last != " " && $0.last != "\t" }, "servers may remove these")
    }

    @Test(
        "The date is that of a mail",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"),
            (1_000_000_000, "Sun, 09 Sep 2001 01:46:40 +0000"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 +0000"),
        ])
    func date(seconds: Int64, text: String) {
        #expect(MailDate.text(Timestamp(seconds: seconds)) == text)
    }

    @Test(
        "MAIL_FROM is an address, with a name or without",
        arguments: [
            ("codes@example.com", nil, "codes@example.com"), ("<codes@example.com>", nil, "codes@example.com"),
            ("Example <codes@example.com>", "Example", "codes@example.com"),
            ("  示例 应用  <codes@example.com> ", "示例 应用", "codes@example.com"),
            ("\"Example, \\\"Inc\\\"\" <c@e.example>", "Example, \"Inc\"", "c@e.example"),
            ("\"a\\\\b\" <c@e.example>", "a\\b", "c@e.example"),
        ] as [(String, String?, String)])
    func senders(text: String, name: String?, address: String) throws {
        let sender = try #require(MailSender(text))
        #expect(sender.name == name && sender.address == address)
        #expect(sender.domain == address.split(separator: "@").last.map(String.init))
    }

    @Test(
        "A sender that could add to the header, or has no address, is refused",
        arguments: [
            "", "Example", "Example <>", "Example <codes>", "Example <codes@example.com", "a@b.c, d@e.f",
            "codes@example.com\r\nBcc: a@b.c", "Exa\nmple <codes@example.com>", "Example <a@b.c> <d@e.f>",
            "Exa\u{85}mple <codes@example.com>", "\"Example <codes@example.com>", "Example codes@example.com",
            "\"Exam\"ple <codes@example.com>",
            String(repeating: "n", count: 201) + " <codes@example.com>", "Example <cödes@example.com>",
        ])
    func refusedSenders(text: String) {
        #expect(MailSender(text) == nil)
    }
}
