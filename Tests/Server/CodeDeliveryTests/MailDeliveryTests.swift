import Foundation
import Gatehouse
import JSON
import POSIX
import TestSupport
import Testing

@testable import CodeDelivery
@testable import Curl

@Suite("Mails by SMTP")
struct MailDeliveryTests {
    private let reports = Reports()

    private func sender(
        _ settings: MailServerSettings, app: String = "Example", timeLimit: Duration = .seconds(30),
        gate: CallGate = CallGate(limit: 1)
    ) throws -> MailDelivery {
        MailDelivery(
            settings: settings, templates: try MessageTemplates(), app: app, gate: gate, timeLimit: timeLimit,
            now: { Sample.now }, report: reports.handler)
    }

    private func fault(
        of settings: MailServerSettings, timeLimit: Duration = .seconds(30)
    ) throws -> DeliveryFault? {
        let sender = try sender(settings, timeLimit: timeLimit)
        return deliveryFault { () throws(DeliveryFault) in try sender.send(Sample.mail(), requestID: nil) }
    }

    @Test("A mail is handed over with and without TLS", arguments: TestMailServer.Encryption.allCases)
    func delivery(encryption: TestMailServer.Encryption) throws {
        let server = try TestMailServer(encryption)
        try sender(server.settings()).send(Sample.mail(), requestID: nil)
        let hello = encryption == .starttls ? ["EHLO", "STARTTLS", "EHLO"] : ["EHLO"]
        #expect(Eventually.holds { server.verbs == hello + ["MAIL", "RCPT", "DATA", "QUIT"] })
        #expect(server.commands.contains("EHLO example.com"))
        #expect(server.commands.contains { $0.hasPrefix("MAIL FROM:<codes@example.com>") })
        #expect(server.commands.contains("RCPT TO:<\(Sample.mailAddress)>") && server.messages.count == 1)
        #expect(reports.list == [DeliveryReport(channel: .email, fault: nil)])
    }

    @Test(
        "The login is by PLAIN or LOGIN, and by nothing else that the server offers",
        arguments: [
            (["PLAIN"], "PLAIN"), (["LOGIN"], "LOGIN"), (["GSSAPI", "NTLM", "CRAM-MD5", "LOGIN"], "LOGIN"),
            (["DIGEST-MD5", "LOGIN", "PLAIN"], "PLAIN"),
        ])
    func login(offered: [String], chosen: String) throws {
        let server = try TestMailServer(.starttls, auth: offered)
        try sender(server.settings(login: TestMailServer.login)).send(Sample.mail(), requestID: nil)
        let login = try #require(server.logins.first)
        #expect(login[0] == chosen && login[1...] == ["gatehouse@example.com", "pässword 1"])
        #expect(server.messages.count == 1)
    }

    @Test(
        "A reply of the server decides the fault",
        arguments: [
            ("CONNECT", "421 4.3.2 closing", "unavailable"), ("CONNECT", "554 5.7.1 no", "misconfigured"),
            ("EHLO", "421 later", "unavailable"), ("EHLO", "550 who are you", "misconfigured"),
            ("STARTTLS", "454 4.7.0 no TLS now", "unavailable"),
            ("AUTH", "535 5.7.8 bad credentials", "misconfigured"), ("AUTH", "534 5.7.9 stronger", "misconfigured"),
            ("AUTH", "454 4.7.0 later", "unavailable"), ("AUTH", "421 4.7.0 too many logins", "limited"),
            ("MAIL", "530 5.7.0 log in first", "misconfigured"), ("MAIL", "550 5.7.1 not yours", "misconfigured"),
            ("MAIL", "451 4.3.0 later", "unavailable"), ("MAIL", "452 4.3.1 full", "unavailable"),
            ("RCPT", "550 5.1.1 no such user", "refused"), ("RCPT", "553 5.1.3 bad syntax", "refused"),
            ("RCPT", "450 4.2.0 greylisted", "unavailable"), ("RCPT", "421 4.3.2 closing", "unavailable"),
            ("RCPT", "450 4.7.1 Error: too much mail from 192.0.2.1", "limited"),
            ("RCPT", "452 4.2.2 over quota", "unavailable"), ("RCPT", "552 5.2.2 over quota", "refused"),
            ("RCPT", "530 5.7.0 log in first", "misconfigured"), ("RCPT", "451 4.7.1 Rate limit reached", "limited"),
            ("DATA", "451 4.7.1 Throttling failure", "limited"), ("DATA", "554 5.7.1 spam", "refused"),
            ("MESSAGE", "550-5.4.5 Daily user sending\n550 5.4.5 limit exceeded", "limited"),
            ("MESSAGE", "554 5.7.1 spam", "refused"), ("MESSAGE", "421 4.4.2 closing", "unavailable"),
        ])
    func replies(step: String, reply: String, label: String) throws {
        let server = try TestMailServer(.starttls, auth: ["PLAIN"], replies: [step: reply])
        let fault = try fault(of: server.settings(login: TestMailServer.login))
        #expect(fault?.label == label && reports.list.map(\.fault) == [fault], "\(String(describing: fault))")
        #expect(fault?.text?.contains(reply.prefix(3)) == true)
        #expect(fault?.text?.contains(reply.dropFirst(10)) == false, "the server's text may contain an address")
    }

    @Test(
        "A server that stops to answer ends in a timeout",
        arguments: ["CONNECT", "STARTTLS", "AUTH", "MESSAGE"])
    func hanging(step: String) throws {
        // On a busy machine, the time may be over before the step.
        var isReached = false
        for seconds in [4, 12, 36] where !isReached {
            let server = try TestMailServer(.starttls, auth: ["PLAIN"], hang: step)
            let settings = try server.settings(login: TestMailServer.login)
            #expect(try fault(of: settings, timeLimit: .seconds(seconds)) == .timeout)
            isReached = server.events.contains { $0["hanging"]?.string == step }
        }
        #expect(isReached)
    }

    // libcurl alone would wait for two minutes.
    @Test(
        "A mail that was taken is sent, and a refused one is refused, also if the server does not answer QUIT",
        .timeLimit(.minutes(1)),
        arguments: [([:], nil), (["RCPT": "550 5.1.1 no"], "refused")] as [([String: String], String?)])
    func hangingQuit(replies: [String: String], label: String?) throws {
        let server = try TestMailServer(replies: replies, hang: "QUIT")
        #expect(try fault(of: server.settings())?.label == label)
        #expect(server.messages.count == (label == nil ? 1 : 0))
    }

    @Test(
        "A certificate that is not trusted, or is for another name, gets neither the password nor the mail",
        arguments: [TestMailServer.Encryption.starttls, .implicit], ["127.0.0.1", "localhost"])
    func certificate(encryption: TestMailServer.Encryption, host: String) throws {
        let server = try TestMailServer(encryption, auth: ["PLAIN"])
        let isTrusted = host == "localhost"
        let fault = try fault(of: server.settings(host: host, login: TestMailServer.login, isTrusted: isTrusted))
        #expect(fault?.label == "unavailable")
        #expect(isTrusted || fault?.text?.contains("certificate") == true, "\(String(describing: fault))")
        #expect(server.logins.isEmpty && server.messages.isEmpty)
    }

    @Test("A server that offers no TLS where it is demanded gets neither password nor mail, as one that is gone")
    func noTLS() throws {
        let server = try TestMailServer(auth: ["PLAIN"])
        var settings = try server.settings(login: TestMailServer.login)
        settings.demandsTLS = true
        #expect(try fault(of: settings)?.label == "unavailable")
        #expect(server.verbs == ["EHLO"])
        let gone = MailServerSettings(
            server: try #require(SMTPServer("smtp://127.0.0.1:1")), login: nil, from: settings.from)
        #expect(try fault(of: gone)?.label == "unavailable")
    }

    @Test(
        "TLS is demanded of every server but one on this machine at an smtp address",
        arguments: [
            ("smtp://127.0.0.1:25", false), ("smtp://localhost", false), ("smtp://[::1]:25", false),
            ("smtps://127.0.0.1", true), ("smtp://mail.example.com", true), ("smtp://10.0.0.1:25", true),
            ("smtp://localhost.example.com", true), ("smtp://127.0.0.1.example.com", true),
        ])
    func demandsTLS(url: String, isDemanded: Bool) throws {
        let settings = MailServerSettings(
            server: try #require(SMTPServer(url)), login: nil, from: try #require(MailSender(TestMailServer.from)))
        #expect(settings.client(timeout: .seconds(1)).demandsTLS == isDemanded)
    }

    @Test("A server that offers no login known here gets no mail; one that offers none at all may take it without")
    func noKnownLogin() throws {
        let unknown = try TestMailServer(.starttls, auth: ["CRAM-MD5"])
        #expect(try fault(of: unknown.settings(login: TestMailServer.login))?.label == "misconfigured")
        #expect(unknown.messages.isEmpty)
        let none = try TestMailServer(.starttls)
        #expect(try fault(of: none.settings(login: TestMailServer.login)) == nil)
    }

    @Test("Beyond the limit of waiting requests the server is not asked")
    func crowded() throws {
        let server = try TestMailServer()
        let sender = try sender(server.settings(), gate: CallGate(limit: 0))
        #expect(throws: DeliveryFault.crowded) { try sender.send(Sample.mail(), requestID: nil) }
        #expect(reports.list.map(\.fault) == [.crowded] && server.commands.isEmpty)
    }

    @Test(
        "An address that could be read as another part of a command is refused, and the server is not asked",
        arguments: [
            "a@b.example>\r\nRCPT TO:<c@d.example", "a@b.example\r\nBcc: c@d.example", "a@b.example\nX: y",
            "a b@c.example", "a@b@c.example", "@b.example", "a@", "", "<a@b.example>", "a@b.example,c@d.example",
            "é@b.example", "a@bücher.example", "\"a\"@b.example", "a@b.example\0", "a@[127.0.0.1]", "a;b@c.example",
            String(repeating: "a", count: 243) + "@example.org",
        ])
    func invalidAddress(address: String) throws {
        let server = try TestMailServer()
        let sender = try sender(server.settings())
        let fault = deliveryFault { () throws(DeliveryFault) in
            try sender.send(Sample.mail(to: address), requestID: nil)
        }
        #expect(fault == .refused("the address is not one of a mailbox") && server.commands.isEmpty)
    }

    @Test("No value adds a field to the header or a line to the commands")
    func headerInjection() throws {
        let server = try TestMailServer()
        let sender = try sender(server.settings(), app: "Evil\r\nBcc: c@d.example\r\n\r\n.\r\nMAIL FROM:<x@y.example>")
        try sender.send(Sample.mail(acceptLanguage: "zh\r\nBcc: c@d.example, en"), requestID: nil)
        let head = try #require(server.messages.first).components(separatedBy: "\r\n\r\n")[0]
        let names = head.components(separatedBy: "\r\n").filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        #expect(
            names == [
                "Date", "Message-ID", "From", "To", "Subject", "MIME-Version", "Content-Language", "Auto-Submitted",
                "X-Auto-Response-Suppress", "Content-Type",
            ])
        #expect(server.verbs.filter { $0 == "MAIL" }.count == 1)
    }

    @Test("The probe connects, logs in and leaves", arguments: TestMailServer.Encryption.allCases)
    func probe(encryption: TestMailServer.Encryption) throws {
        let server = try TestMailServer(encryption, auth: ["PLAIN"])
        try sender(server.settings(login: TestMailServer.login)).probe()
        #expect(Eventually.holds { server.verbs.suffix(3) == ["AUTH", "NOOP", "QUIT"] })
        #expect(!server.verbs.contains("MAIL") && reports.list.isEmpty)
    }

    @Test("The probe tells which settings are wrong")
    func failedProbe() throws {
        let refusing = try TestMailServer(.starttls, auth: ["PLAIN"], replies: ["AUTH": "535 5.7.8 no"])
        let silent = try TestMailServer(.starttls)
        for (server, isTrusted, label) in [
            (refusing, true, "misconfigured"), (silent, true, "misconfigured"), (silent, false, "unavailable"),
        ] {
            let sender = try sender(server.settings(login: TestMailServer.login, isTrusted: isTrusted))
            let fault = deliveryFault { () throws(DeliveryFault) in try sender.probe() }
            #expect(fault?.label == label)
        }
    }

    @Test("No fault contains the address, the code or the password, whatever the server says")
    func silence() throws {
        let secrets = [Sample.mailAddress, Sample.code, "pässword 1", "gatehouse@example.com"]
        for step in ["AUTH", "RCPT", "MESSAGE"] {
            let server = try TestMailServer(
                auth: ["PLAIN"], replies: [step: "550 5.1.1 " + secrets.joined(separator: " ")])
            let fault = try fault(of: server.settings(login: TestMailServer.login))
            let text = "\(String(describing: fault)) \(String(reflecting: fault)) \(reports.list)"
            for secret in secrets { #expect(!text.contains(secret)) }
        }
        #expect(!"\(TestMailServer.login) \(String(reflecting: TestMailServer.login))".contains("pässword"))
    }
}
