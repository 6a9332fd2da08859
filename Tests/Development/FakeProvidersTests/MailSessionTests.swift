import JSON
import Testing

@testable import FakeProviders

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
