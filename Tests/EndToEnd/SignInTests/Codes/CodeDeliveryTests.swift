import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("A gateway or a mail server that fails")
struct CodeDeliveryTests {
    private let fixture: CodeFixture

    init() throws {
        fixture = try CodeFixture()
    }

    @Test(
        "The client learns that a code was not accepted, and asks again at once only if the answer says that nothing was sent",
        arguments: [
            (401, 202), (403, 202), (429, 202), (400, 429), (404, 429), (302, 429), (500, 429), (501, 429), (502, 429),
            (503, 429), (504, 429),
        ])
    func sms(status: Int, next: Int) throws {
        let number = fixture.newNumber()
        try fixture.providers.control("/sms/faults", ["mode": "status", "status": .integer(Int64(status))])
        let answer = try fixture.ask(number)
        #expect(fixture.refusal(answer) == "503 delivery_unavailable", "\(answer.json)")
        #expect(answer.header("retry-after") != nil)
        try fixture.providers.control("/sms/faults", [:])
        #expect(try fixture.ask(number).status == next)
    }

    @Test("No gateway: the client asks again at once, and messages that nobody got count for prefix and country")
    func noGateway() throws {
        let fixture = try CodeFixture { variables in
            variables["SMS_URL"] = "http://127.0.0.1:1/"
            variables["CODES_PER_PREFIX_AND_NETWORK"] = "3/1h"
        }
        let number = fixture.newNumber()
        let answers = try (0..<4).map { _ in try fixture.refusal(fixture.ask(number)) }
        #expect(answers == Array(repeating: "503 delivery_unavailable", count: 3) + ["429 too_many_codes"])
        let server = try #require(fixture.server as? InProcessServer)
        #expect(try server.testDatabase.number("SELECT count(*) FROM code_sends WHERE country = 'CN'") == 3)
    }

    @Test("Addresses that differ in their tags count as one mailbox for limits, and are accounts of their own")
    func tags() throws {
        let first = try fixture.logIn(fixture.code("ada@example.com", channel: "email"))
        for address in ["ada+1@example.com", "ADA+2@Example.com", "ada++@example.com", "ada+a+b@example.com"] {
            #expect(try fixture.ask(address, channel: "email").code == "too_many_codes", "\(address)")
        }
        for address in ["ada@example.org", "+ada@example.com", "adam@example.com"] {
            #expect(try fixture.ask(address, channel: "email").status == 202, "\(address)")
        }
        let server = try #require(fixture.server as? InProcessServer)
        server.advanceClock(by: .seconds(61))
        let other = try fixture.logIn(fixture.code("ada+1@example.com", channel: "email"))
        #expect(other.userID != first.userID && other["user"]?.object?["email"] == "ada+1@example.com")
    }

    @Test("No code, number, address or secret is in a line of the log, whatever fails")
    func log() throws {
        let server = try #require(fixture.server as? InProcessServer)
        let number = fixture.newNumber()
        let code = try fixture.code(number)
        _ = try fixture.logIn(code.wrong)
        _ = try fixture.logIn(code)
        try fixture.providers.control("/sms/faults", ["mode": "status", "status": 401])
        _ = try fixture.ask(fixture.newNumber())
        _ = try fixture.code("ann-of-the-log@example.com", channel: "email")
        for secret in [number, code.id, code.text + "\"", "ann-of-the-log", WebhookKeys.usualSecret] {
            #expect(!server.log.contains(secret), "\(secret)")
        }
        #expect(server.log.contains("delivery"))
    }

    @Test("A store that is down sends nothing and accepts no code: 503")
    func store() throws {
        let server = try #require(fixture.server as? InProcessServer)
        let code = try fixture.code(fixture.newNumber())
        let last = fixture.providers.inbox.lastNumber
        try server.testDatabase.execute("ALTER TABLE code_sends RENAME TO gone; ALTER TABLE codes RENAME TO lost")
        let answer = try fixture.ask(fixture.newNumber())
        #expect(fixture.refusal(answer) == "503 storage_unavailable", "\(answer.json)")
        #expect(try fixture.refusal(fixture.logIn(code)) == "503 storage_unavailable")
        #expect(fixture.providers.inbox.lastNumber == last)
    }
}
