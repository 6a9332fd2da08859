import Gatehouse
import GatehouseServer
import GatehouseStore
import IdentityProviders
import JSON
import StandIn
import StandardWebhooks
import StoreSupport
import TestSupport
import Testing

@testable import GatehouseCommand

@Suite("The check of phone numbers")
struct NumbersCheckTests {
    @Test("counts the numbers of users that would get no code if they were new")
    func counted() throws {
        let registry = try Registry()
        let numbers = ["+8613800138000", "+442071234567", "+12121551234", "+541123456789", "+5491123456780"]
        let lines = numbers.map { "{\"phone\":\"\($0)\"}" }.joined(separator: "\n")
        try registry.tool.run(["users", "import", "-"], registry.environment, input: lines).expect(0)
        func check(_ settings: [String: String]) throws -> String {
            try registry.tool.run(["check", "--offline"], registry.environment.merging(settings) { $1 }).text
        }
        let gateway = [
            "SMS_URL": "http://127.0.0.1:1/", "SMS_SECRET": "whsec_Z2F0ZWhvdXNlLWRldmVsb3BtZW50LWV2ZW50cy1zZWNyZXQ=",
        ]
        #expect(try check(gateway).contains("2 of 5 cannot exist, or are of a kind that PHONE_KINDS does not have"))
        #expect(try check(gateway.merging(["PHONE_KINDS": "mobile,fixed"]) { $1 }).contains("1 of 5 cannot exist"))
        #expect(try !check([:]).contains("phone numbers"))
    }

    @Test("a database without such numbers is well, and one that cannot be read is a note")
    func well() {
        let check = NumbersCheck(database: nil, kinds: [.mobile])
        #expect(
            check.evaluate((all: 3, refused: 0)).grade == .ok && check.evaluate((all: 3, refused: 1)).grade == .note)
        #expect(check.run().map(\.grade) == [.note])
    }
}

@Suite("The check of the receiver for one-tap sign-in")
struct NumberReceiverCheckTests {
    private let server: StandInServer
    private let tool: Tool

    init() throws {
        (server, tool) = (try StandInServer(), try Tool())
        _ = try SQLiteFile(path: tool.folder.file("gatehouse.db")).migrate()
    }

    private func check(_ changes: [String: String] = [:], _ words: String...) throws -> [CheckLine] {
        let settings = [
            "NUMBER_URL": server.numberURL, "NUMBER_SECRET": WebhookKeys.usualNumberSecret, "PHONE_COUNTRIES": "CN",
        ].merging(changes) { $1 }
        return try tool.checkLines(
            about: ["one-tap receiver"], settings, words, hiding: [WebhookKeys.usualNumberSecret])
    }

    @Test("asks about a made-up token, which the receiver refuses")
    func sound() throws {
        let lines = try check()
        #expect(lines.count == 1 && lines[0].begins("ok", "it accepts NUMBER_SECRET"), "\(lines)")
        #expect(try check([:], "--offline").first?.begins("note", "not checked: --offline") == true)
    }

    @Test("names a secret that the receiver refuses, and answers that are none")
    func faults() throws {
        let other = try check(["NUMBER_SECRET": WebhookKeys.usualSecret])
        #expect(other.first?.begins("fault", "it refuses the question: status 401") == true, "\(other)")
        try server.control("/number/faults", ["mode": "html"])
        #expect(try check().first?.begins("fault", "it cannot be used: the receiver's answer has neither") == true)
        #expect(try check(["NUMBER_URL": "http://127.0.0.1:1/"]).first?.begins("fault", "it cannot be used") == true)
        let receiver = NumberReceiverSettings(
            url: server.numberURL, secrets: try WebhookSecrets(WebhookKeys.usualNumberSecret))
        let check = NumberReceiverCheck(receiver: receiver, isOffline: false)
        #expect(check.evaluate(.unclear(code: "a number")).grade == .fault)
    }
}
