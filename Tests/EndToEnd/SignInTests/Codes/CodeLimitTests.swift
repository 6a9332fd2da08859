import Foundation
import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Requests for codes")
struct CodeLimitTests {
    private let fixture: CodeFixture
    private let server: InProcessServer

    init() throws {
        fixture = try CodeFixture()
        server = try #require(fixture.server as? InProcessServer)
    }

    private func isRefused(_ answer: TestResponse) -> Bool {
        fixture.refusal(answer) == "429 too_many_codes" && answer.header("retry-after") != nil
    }

    @Test("The second request within a minute is refused, at any node and after a restart, and nothing is sent")
    func minute() throws {
        let number = fixture.newNumber()
        let last = fixture.providers.inbox.lastNumber
        #expect(try fixture.ask(number).status == 202)
        let other = try InProcessServer(beside: server)
        let body: JSONObject = ["channel": "phone", "to": .string(number)]
        for node in [server, other] {
            let answer = node.send(.post("/api/auth/codes", body))
            #expect(isRefused(answer), "\(answer.json)")
            #expect((1...60).contains(Int(answer.header("retry-after") ?? "") ?? 0))
        }
        server.advanceClock(by: .seconds(61))
        #expect(other.send(.post("/api/auth/codes", body)).status == 202)
        #expect(fixture.providers.inbox.lastNumber == last + 2)
    }

    @Test("An attacker with one network does not keep the owner of a number out")
    func oneNetwork() throws {
        let number = fixture.newNumber()
        for _ in 0..<20 {
            _ = try fixture.ask(number, from: "198.51.100.\(Int.random(in: 1...250))")
            server.advanceClock(by: .seconds(600))
        }
        #expect(try fixture.ask(number, from: "192.0.2.1").status == 202)
    }

    @Test("A network from which the number has signed in asks also while an attacker with many networks does")
    func known() throws {
        let number = fixture.newNumber()
        #expect(try fixture.logIn(fixture.code(number, from: "192.0.2.7")).status == 200)
        for index in 0..<30 {
            server.advanceClock(by: .seconds(120))
            _ = try fixture.ask(number, from: "198.51.\(index).1")
        }
        #expect(try fixture.ask(number, from: "203.0.113.1").status == 429)
        #expect(try fixture.ask(number, from: "192.0.2.200").status == 202)
    }

    @Test("Codes to one prefix that are not used are refused soon, and counted and audited")
    func pumping() throws {
        for index in 0..<20 {
            _ = try fixture.ask("+8613912340\(String(index + 100))", from: "198.51.\(index).1")
            server.advanceClock(by: .seconds(5))
        }
        let refused = try fixture.ask("+8613912340999", from: "203.0.113.9")
        #expect(isRefused(refused))
        let metrics = String(decoding: server.send(.get("/metrics")).body, as: UTF8.self)
        #expect(metrics.contains("gatehouse_codes_refused_total{channel=\"phone\",limit=\"prefix\"} 1"))
        #expect(metrics.contains("gatehouse_codes_sent_total{channel=\"phone\"} 20"))
        try server.runMaintenance()
        let audited = "SELECT count(*) FROM audit_events WHERE kind = 'code_refused' AND detail = 'prefix'"
        #expect(try server.testDatabase.number(audited) == 1)
    }

    @Test("Each limit is a setting")
    func setting() throws {
        for name in ["CLIENT", "NETWORK", "PREFIX", "COUNTRY", "CHANNEL", "ADDRESS"] {
            let fixture = try CodeFixture(providers: self.fixture.providers) { $0["CODES_PER_\(name)"] = "0/1h" }
            #expect(try fixture.ask(fixture.newNumber()).status == 429, "\(name)")
        }
        #expect(fixture.providers.inbox.lastNumber == 0)
    }

    @Test("An address that cannot be read, and a number of a country that is not served, are refused")
    func address() throws {
        for (written, expected) in [
            ("13800138000", "400 invalid_request"), ("+86138001380", "400 invalid_request"),
            ("+12025550123", "422 country_not_served"), ("ann@example.com", "400 invalid_request"),
            ("", "400 invalid_request"),
        ] {
            let answer = try fixture.ask(written)
            #expect(fixture.refusal(answer) == expected, "\(answer.json)")
            #expect(!answer.json.description.contains("13800138000"))
        }
        for written in ["a@example.com\r\nRCPT TO:<b@example.com>", "<a@example.com>", "a@localhost"] {
            #expect(try fixture.refusal(fixture.ask(written, channel: "email")) == "400 invalid_request", "\(written)")
        }
        #expect(fixture.providers.inbox.lastNumber == 0)
    }

    @Test("One number has one form, however it is written")
    func form() throws {
        #expect(try fixture.ask("+8613800138000").status == 202)
        for written in ["+86 138-0013-8000", "＋８６１３８００１３８０００"] {
            #expect(try fixture.ask(written).status == 429, "\(written)")
        }
    }

    @Test("A channel that is not configured does not exist")
    func channel() throws {
        let fixture = try CodeFixture { variables in
            variables["SMTP_URL"] = nil
            variables["MAIL_FROM"] = nil
        }
        let answer = try fixture.ask("ann@example.com", channel: "email")
        #expect(fixture.refusal(answer) == "404 unknown_provider")
        #expect(fixture.refusal(try fixture.ask("ann@example.com", channel: "pigeon")) == "400 invalid_request")
    }

    @Test("A test code signs in until its last day has ended, and nothing is sent to its address")
    func testCode() throws {
        let number = "+12025550123"
        let lastDay = Date(timeIntervalSinceNow: 86_400).description.prefix(10)
        let fixture = try CodeFixture {
            $0["TEST_CODES"] = "\(number)=739154@\(lastDay),old@example.com=111111@2020-01-01"
        }
        let id = try fixture.ask(number)["codeId"]?.string ?? ""
        #expect(try fixture.logIn(SentTestCode(id: id, text: "000000")).status == 401)
        let login = try fixture.logIn(SentTestCode(id: id, text: "739154"))
        #expect(login["user"]?.object?["phone"] == .string(number))
        #expect(fixture.providers.inbox.lastNumber == 0)
        let old = try fixture.code("old@example.com", channel: "email")
        if old.text != "111111" {
            #expect(try fixture.logIn(SentTestCode(id: old.id, text: "111111")).status == 401)
        }
    }

    @Test("The language of a message is that of the client")
    func language() throws {
        for (language, expected) in [("zh-CN,zh;q=0.9,en;q=0.5", "验证码"), ("en-GB,en", "code")] {
            let number = fixture.newNumber()
            let last = fixture.providers.inbox.lastNumber
            #expect(try fixture.ask(number, language: language).status == 202)
            let message = try #require(fixture.providers.inbox.message(to: number, after: last))
            #expect(message.text.contains(expected), "\(message.text)")
        }
    }
}
