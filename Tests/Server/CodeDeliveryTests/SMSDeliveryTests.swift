import DevelopmentHTTP
import Foundation
import Gatehouse
import JSON
import POSIX
import StandardWebhooks
import Synchronization
import TestSupport
import Testing

@testable import CodeDelivery

@Suite("Text messages by a signed POST")
struct SMSDeliveryTests {
    private let reports = Reports()

    private func sender(
        _ url: String, secrets: String = TestGateway.secret, domain: String? = nil, timeLimit: Duration = .seconds(30),
        gate: CallGate = CallGate(limit: 1)
    ) throws -> SMSDelivery {
        SMSDelivery(
            settings: SMSGatewaySettings(url: url, secrets: try WebhookSecrets(secrets)),
            templates: try MessageTemplates(), app: "Example", domain: domain,
            country: { $0.hasPrefix("+86") ? "CN" : nil }, gate: gate, timeLimit: timeLimit, now: { Sample.now },
            report: reports.handler)
    }

    private func fault(of sender: SMSDelivery) -> DeliveryFault? {
        deliveryFault { () throws(DeliveryFault) in try sender.send(Sample.sms(), requestID: nil) }
    }

    @Test("A code is posted as a signed document")
    func code() throws {
        let gateway = try TestGateway(.reply(.ok([])))
        try sender(gateway.url, domain: "example.com").send(Sample.sms(acceptLanguage: "zh-CN"), requestID: nil)
        let request = try #require(gateway.requests.first)
        #expect(request.method == "POST" && request.target == "/sms?key=1" && request.contentType == "application/json")
        #expect(
            String(decoding: request.body, as: UTF8.self) == """
                {"type":"sms.code","timestamp":"2026-11-25T12:00:00.000Z","data":{"to":"+8613800138000","country":"CN",\
                "code":"042137","language":"zh",\
                "text":"【Example】验证码 042137，10 分钟内有效。请勿将验证码告知他人。\\n@example.com #042137","expiresIn":600}}
                """)
        try WebhookSecrets(TestGateway.secret).verify(
            header: { request[$0] }, body: request.body, now: Sample.now.seconds)
        #expect(request["webhook-timestamp"] == "1795608000")
        #expect(reports.list == [DeliveryReport(channel: .phone, fault: nil)])
    }

    @Test("A notice names what it is about, and no code")
    func notice() throws {
        let notice = OutgoingMessage.Notice.phoneChanged
        let gateway = try TestGateway(.reply(.ok([])))
        try sender(gateway.url).send(Sample.sms(.notice(notice)), requestID: nil)
        let request = try #require(gateway.requests.first)
        let body = try #require(try JSONValue(parsing: request.body).object)
        #expect(body["type"] == "sms.notice")
        let data = try #require(body["data"]?.object)
        #expect(data.names == ["to", "country", "notice", "language", "text"])
        #expect(data["notice"]?.string == notice.rawValue && data["text"]?.string?.hasPrefix("Example: ") == true)
    }

    @Test("Each message has an id of its own, and a signature for each secret")
    func idsAndSignatures() throws {
        let gateway = try TestGateway(.reply(.ok([])))
        let sender = try sender(gateway.url, secrets: TestGateway.secret + "\n" + TestGateway.nextSecret)
        for _ in 0..<3 { try sender.send(Sample.sms(), requestID: nil) }
        let requests = gateway.requests
        #expect(Set(requests.map { $0["webhook-id"] }).count == 3)
        #expect(requests.allSatisfy { $0["webhook-id"]?.wholeMatch(of: /msg_[A-Za-z0-9_-]{24}/) != nil })
        for secret in [TestGateway.secret, TestGateway.nextSecret] {
            try WebhookSecrets(secret).verify(
                header: { requests[0][$0] }, body: requests[0].body, now: Sample.now.seconds)
        }
    }

    @Test(
        "The status decides",
        arguments: [
            ("200 OK", nil), ("202 Accepted", nil), ("204 No Content", nil), ("301 Moved", "unavailable"),
            ("302 Found", "unavailable"), ("307 Temporary Redirect", "unavailable"), ("400 Bad Request", "refused"),
            ("401 Unauthorized", "misconfigured"), ("403 Forbidden", "misconfigured"), ("404 Not Found", "refused"),
            ("422 Unprocessable", "refused"), ("429 Too Many Requests", "limited"), ("500 Error", "unavailable"),
            ("502 Bad Gateway", "timeout"), ("504 Gateway Timeout", "timeout"), ("503 Unavailable", "unavailable"),
            ("600 Other", "unavailable"),
        ] as [(String, String?)])
    func status(status: String, label: String?) throws {
        let gateway = try TestGateway(.reply(HTTPReply(status: status, json: ["code": .string(Sample.code)])))
        let fault = try fault(of: sender(gateway.url))
        #expect(fault?.label == label)
        #expect([nil, .timeout].contains(fault) || fault?.text?.contains(status.prefix(3)) == true)
        #expect(reports.list.map(\.fault) == [fault])
    }

    @Test("A gateway that does not answer ends in a timeout")
    func hanging() throws {
        let gateway = try TestGateway(.silence(seconds: 60))
        #expect(try fault(of: sender(gateway.url, timeLimit: .seconds(2))) == .timeout)
        #expect(Eventually.holds { gateway.requests.count == 1 })
    }

    @Test("A gateway that cannot be reached is unavailable; one that gives no answer of HTTP may have sent the message")
    func noAnswer() throws {
        #expect(try fault(of: sender("http://127.0.0.1:1/"))?.label == "unavailable")
        for text in ["", "SPDY/9 what\r\n\r\n", "HTTP/1.1 "] {
            let gateway = try TestGateway(.pass(Array(text.utf8)))
            #expect(try fault(of: sender(gateway.url)) == .timeout)
        }
    }

    @Test(
        "Only the status of a long answer is read", arguments: [(200, nil), (500, "unavailable")] as [(Int, String?)])
    func longAnswer(status: Int, label: String?) throws {
        let head = "HTTP/1.1 \(status) Said\r\nContent-Length: 8000000000\r\n\r\n"
        let gateway = try TestGateway(.pass(Array(head.utf8) + [UInt8](repeating: 0x78, count: 1 << 20)))
        #expect(try fault(of: sender(gateway.url))?.label == label)
    }

    @Test("Beyond the limit of waiting requests the gateway is not asked")
    func crowded() throws {
        let gateway = try TestGateway(.reply(.ok([])))
        let sender = try sender(gateway.url, gate: CallGate(limit: 0))
        #expect(throws: DeliveryFault.crowded) { try sender.send(Sample.sms(), requestID: nil) }
        #expect(reports.list.map(\.fault) == [.crowded] && gateway.requests.isEmpty)
    }

    @Test("No fault contains the number, the code, the secret or the address of the gateway")
    func silence() throws {
        let answer = HTTPAction.reply(HTTPReply(status: "400 \(Sample.number) \(Sample.code)", body: []))
        for url in [try TestGateway(answer).url, "http://127.0.0.1:1/secret?key=1"] {
            let outcome = try fault(of: sender(url))
            let fault = try #require(outcome)
            let text = "\(fault) \(String(reflecting: fault)) \(reports.list)"
            for secret in [Sample.number, Sample.code, "key=1", "127.0.0.1"] { #expect(!text.contains(secret)) }
        }
        let settings = SMSGatewaySettings(url: "https://sms.example", secrets: try WebhookSecrets(TestGateway.secret))
        #expect(!"\(settings) \(String(reflecting: settings))".contains(TestGateway.secret.dropFirst(6)))
    }

    @Test("The probe connects, and sends no request")
    func probe() throws {
        let gateway = try TestGateway(.reply(.ok([])))
        try sender(gateway.url).probe()
        #expect(gateway.requests.isEmpty)
        let unreachable = try sender("http://127.0.0.1:1/")
        let fault = deliveryFault { () throws(DeliveryFault) in try unreachable.probe() }
        #expect(fault?.label == "unavailable")
    }

    @Test("The probe verifies the certificate of the gateway")
    func probeOfCertificate() throws {
        // The certificate is the same for every protocol.
        let server = try TestMailServer(.implicit)
        var settings = SMSGatewaySettings(
            url: "https://127.0.0.1:\(server.port)/", secrets: try WebhookSecrets(TestGateway.secret))
        #expect(throws: DeliveryFault.self) { try probe(settings) }
        settings.authorities = TestCertificate.shared.path
        try probe(settings)
        #expect(server.commands.isEmpty)
    }

    private func probe(_ settings: SMSGatewaySettings) throws {
        try SMSDelivery(
            settings: settings, templates: MessageTemplates(), app: "Example", country: { _ in nil },
            gate: CallGate(limit: 1)
        ).probe()
    }
}
