import FakeProviders
import JSON
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

    @Test("The client learns that a code was not accepted, and asks again at once")
    func sms() throws {
        let number = fixture.newNumber()
        try fixture.providers.control("/sms/faults", ["mode": "status", "status": 500])
        let answer = try fixture.ask(number)
        #expect(fixture.refusal(answer) == "503 delivery_unavailable", "\(answer.json)")
        #expect(answer.header("retry-after") != nil)
        try fixture.providers.control("/sms/faults", [:])
        #expect(try fixture.ask(number).status == 202)
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
