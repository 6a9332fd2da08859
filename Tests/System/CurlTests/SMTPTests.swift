import Testing

@testable import Curl

@Suite("SMTP")
struct SMTPTests {
    @Test(
        "The address of a mail server is a scheme, a host and a port",
        arguments: [
            ("smtps://mail.example.com:465", "smtps://mail.example.com:465", false, true),
            ("smtps://mail.example.com", "smtps://mail.example.com:465", false, true),
            ("smtp://mail.example.com/", "smtp://mail.example.com:587", false, false),
            ("smtp://127.0.0.1:25", "smtp://127.0.0.1:25", true, false),
            ("smtp://[::1]:2525", "smtp://[::1]:2525", true, false),
            ("smtp://[2001:db8::1]", "smtp://[2001:db8::1]:587", false, false),
            ("smtps://localhost", "smtps://localhost:465", true, true),
            ("smtp://127.1", "smtp://127.1:587", false, false),
        ])
    func servers(text: String, url: String, isLoopback: Bool, startsWithTLS: Bool) throws {
        let server = try #require(SMTPServer(text))
        #expect(server.url == url)
        #expect(server.isLoopback == isLoopback)
        #expect(server.startsWithTLS == startsWithTLS)
    }

    @Test(
        "Another address is refused",
        arguments: [
            "", "smtp://", "smtp:///", "mail.example.com", "http://mail.example.com", "SMTP://mail.example.com",
            "smtp://user@mail.example.com", "smtp://user:password@mail.example.com:587", "smtp://mail.example.com/path",
            "smtp://mail.example.com?x", "smtp://mail.example.com#x", "smtp://mail.example.com:",
            "smtp://mail.example.com:0",
            "smtp://mail.example.com:65536", "smtp://mail.example.com:+1", "smtp://mail example.com", "smtp://[::1",
            "smtp://::1",
            "smtp://mail.example.com\r\n", "smtp://bücher.example", "smtp://mail.example.com:25:26", "smtp://[]:25",
        ])
    func refusedServers(text: String) {
        #expect(SMTPServer(text) == nil)
    }

    @Test(
        "A reply is a code, a status and whether it is about a limit; its text is not kept",
        arguments: [
            ("250 OK", SMTPReply(code: 250)), ("250", SMTPReply(code: 250)), ("250 ", SMTPReply(code: 250)),
            ("550 5.1.1 <a@b.example>: no", SMTPReply(code: 550, status: "5.1.1")),
            ("550 4.1.1 other class", SMTPReply(code: 550)), ("550 5.1 x", SMTPReply(code: 550)),
            ("550 5.1.1.1 x", SMTPReply(code: 550)), ("550 5.1234.1 x", SMTPReply(code: 550)),
            ("550 5..1 x", SMTPReply(code: 550)), ("550 5.a.1 x", SMTPReply(code: 550)),
            ("550 5.7.26\tx", SMTPReply(code: 550, status: "5.7.26")),
            ("450 4.7.1 Rate limited", SMTPReply(code: 450, status: "4.7.1", mentionsLimit: true)),
            ("454 Throttling failure: Maximum sending rate exceeded.", SMTPReply(code: 454, mentionsLimit: true)),
            ("421 4.7.28 Too many messages", SMTPReply(code: 421, status: "4.7.28", mentionsLimit: true)),
            ("452 QUOTA exceeded", SMTPReply(code: 452, mentionsLimit: true)),
            ("452 4.2.2 quota exceeded", SMTPReply(code: 452, status: "4.2.2")),
            ("450 please generate an operation", SMTPReply(code: 450)), ("450 Greylisted", SMTPReply(code: 450)),
        ])
    func replies(line: String, reply: SMTPReply) {
        #expect(SMTPReply(line: Array((line + "\r\n").utf8)) == reply)
    }

    @Test(
        "A line without a code is no reply", arguments: ["", "2", "25", "abc", "-12 x", "099 x", "2\u{FF} x", " 250 x"])
    func noReply(line: String) {
        #expect(SMTPReply(line: Array((line + "\r\n").utf8)) == nil)
    }

    @Test("A reply of several lines is one reply")
    func continued() {
        let dialogue = SMTPDialogue()
        dialogue.sent("RCPT TO:<a@b.example>\r\n".utf8)
        for line in ["550-5.1.1 too many messages", "550-", "550 and more"] {
            dialogue.received(Array((line + "\r\n").utf8))
        }
        #expect(dialogue.answer?.step == .recipient)
        #expect(dialogue.answer?.reply == SMTPReply(code: 550, status: "5.1.1", mentionsLimit: true))
        dialogue.received(Array("421 closing\r\n".utf8))
        #expect(dialogue.answer?.reply == SMTPReply(code: 421))
    }

    @Test("The reply to QUIT is not the outcome")
    func quit() {
        let dialogue = SMTPDialogue()
        dialogue.sent("DATA\r\n".utf8)
        dialogue.received(Array("354 go ahead\r\n".utf8))
        dialogue.received(Array("554 5.7.1 no\r\n".utf8))
        #expect(!dialogue.isOver)
        dialogue.sent("QUIT\r\n".utf8)
        dialogue.received(Array("221 bye\r\n".utf8))
        #expect(dialogue.isOver)
        #expect(dialogue.answer?.step == .message)
        #expect(dialogue.answer?.reply.code == 554)
    }

    @Test(
        "Lines of a login are no commands",
        arguments: ["cGFzc3dvcmQ=\r\n", "DATAabcd\r\n", "MAILabcd\r\n", "QUITquit\r\n", "\r\n", "*\r\n"])
    func loginLines(line: String) {
        let dialogue = SMTPDialogue()
        dialogue.sent("AUTH LOGIN\r\n".utf8)
        dialogue.sent(line.utf8)
        dialogue.received(Array("235 accepted\r\n".utf8))
        #expect(dialogue.hasLoggedIn)
        #expect(dialogue.answer?.step == .login)
    }

    @Test(
        "An address is one word with one @ and the name of a host behind it",
        arguments: [
            ("a@b.example", true), ("user.name+tag@sub.example.org", true), ("o'hara@example.org", true),
            ("a@localhost", true), ("a/b=c?d#e%f@example.org", true), ("a@b/c", false), ("a@b?c", false),
            ("a@b%0d", false),
            ("a b@example.org", false), ("a@", false), ("@b", false), ("a", false), ("a@b@c", false), ("a@b>", false),
            ("a\r\n@b", false), ("a@b\n", false), ("a@b\0", false),
        ])
    func addresses(address: String, isValid: Bool) {
        #expect(SMTPAddress.isValid(address) == isValid)
    }
}
