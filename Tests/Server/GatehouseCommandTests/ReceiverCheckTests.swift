import EventDelivery
import Foundation
import Gatehouse
import GatehouseServer
import GatehouseStore
import Sockets
import StandIn
import StandardWebhooks
import TestSupport
import Testing

@testable import GatehouseCommand

@Suite("gatehouse check of receivers")
struct ReceiverCheckTests {
    private static let secret = "whsec_Z2F0ZWhvdXNlLWRldmVsb3BtZW50LWV2ZW50cy1zZWNyZXQ="

    private let tool: Tool

    init() throws {
        tool = try Tool()
        _ = try SQLiteFile(path: tool.folder.file("gatehouse.db")).migrate()
    }

    private func write(_ url: String, to name: String) throws {
        let folder = tool.folder.file("receivers")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "URL=\(url)\nSECRET=\(Self.secret)\n".write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }

    @Test("connects to each, and says which cannot be reached or has a private address")
    func lines() throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        let port = listener.port ?? 0
        try write("http://127.0.0.1:1/", to: "closed.conf")
        // A name for the resolver, and no address in digits for the settings.
        try write("https://2130706433:\(port)/", to: "internal.conf")
        let settings = [
            "RECEIVERS_DIR": tool.folder.file("receivers"), "EVENTS_URL": "http://127.0.0.1:\(port)/",
            "EVENTS_SECRET": Self.secret,
        ]
        func check(_ words: String...) throws -> [CheckLine] {
            try tool.checkLines(about: ["receiver "], settings, words, hiding: [Self.secret])
        }
        let lines = try check()
        #expect(lines.count == 3)
        for (name, state, message) in [
            ("default", "ok", "it can be reached"), ("closed", "fault", "it cannot be reached: "),
            ("internal", "fault", "the name in URL has a private address, so no event is sent to it"),
        ] {
            let line = try #require(lines.first { $0.subject == "receiver " + name })
            #expect(line.begins(state, message), "\(line)")
            let advice = "PRIVATE_ADDRESSES=permitted in \(tool.folder.file("receivers/internal.conf"))"
            #expect(name != "internal" || line.advice?.contains(advice) == true, "\(line)")
        }
        let offline = try check("--offline")
        #expect(offline.count == 3 && offline.allSatisfy { $0.begins("note", "not checked: --offline") })
    }

    @Test("a fault comes with the setting to compare", arguments: [nil, "/etc/gatehouse/receivers.d/a.conf"])
    func advice(file: String?) throws {
        let receiver = EventReceiver(name: "a", url: "https://a", secrets: try WebhookSecrets(Self.secret))
        let check = ReceiverCheck(receiver: receiver, file: file, isOffline: false)
        let faults: [ReceiverFault] = [
            .privateAddress, .publicAddress, .name("x"), .security("x"), .unreachable("x"), .timeout,
        ]
        for fault in faults {
            let finding = check.evaluate(fault)
            #expect(finding.grade == .fault)
            let text = finding.message + (finding.advice ?? "")
            #expect(text.contains(file == nil ? "EVENTS_URL" : "URL") && text.contains(file ?? "EVENTS_URL"), "\(text)")
        }
    }
}

@Suite("gatehouse check of the SMS gateway and the mail server")
struct DeliveryCheckTests {
    private let server: StandInServer
    private let tool: Tool

    init() throws {
        (server, tool) = (try StandInServer(), try Tool())
        _ = try SQLiteFile(path: tool.folder.file("gatehouse.db")).migrate()
    }

    private func check(_ changes: [String: String] = [:], _ words: String...) throws -> [CheckLine] {
        let settings = [
            "SMS_URL": server.smsURL, "SMS_SECRET": WebhookKeys.usualSecret,
            "PHONE_COUNTRIES": "CN", "SMTP_URL": server.smtpURL, "MAIL_FROM": "a@example.com",
        ].merging(changes) { $1 }
        return try tool.checkLines(
            about: ["SMS gateway", "mail server"], settings, words, hiding: [WebhookKeys.usualSecret])
    }

    @Test("connects to both, and sends nothing")
    func sound() throws {
        let lines = try check()
        #expect(lines.count == 2 && lines.allSatisfy { $0.begins("ok", "it can be reached") }, "\(lines)")
        #expect(server.inbox.lastNumber == 0)
    }

    @Test(
        "the outcome of the last messages is more than a connection",
        arguments: [(nil, nil), (0, nil), (1, .note), (3, .fault)] as [(Int?, Finding.Grade?)])
    func outcomes(count: Int?, grade: Finding.Grade?) throws {
        let line = count.map { "gatehouse_messages_failed_since_success{channel=\"email\"} \($0)\n" } ?? ""
        let other = "gatehouse_messages_failed_since_success{channel=\"phone\"} 9\n"
        let delivery = try #require(
            try Configuration.delivery(
                from: SettingSource(variables: ["SMTP_URL": server.smtpURL, "MAIL_FROM": "a@example.com"])))
        let check = DeliveryCheck(channel: .email, delivery: delivery, isOffline: false, metrics: other + line)
        #expect(check.evaluate(metrics: other + line)?.grade == grade)
        #expect(check.run().map(\.grade) == [grade ?? .ok])
    }

    @Test("says which of them cannot be reached, and that nothing was asked with --offline")
    func faults() throws {
        let lines = try check(["SMS_URL": "http://127.0.0.1:1/", "SMTP_URL": "smtp://127.0.0.1:1"])
        #expect(lines.count == 2 && lines.allSatisfy { $0.begins("fault", "it cannot be used") }, "\(lines)")
        let offline = try check([:], "--offline")
        #expect(offline.count == 2 && offline.allSatisfy { $0.begins("note", "not checked: --offline") })
    }
}

@Suite("Test messages and test events")
struct TestCommandTests {
    private static let otherSecret =
        "whsec_" + Data((1...24 as ClosedRange<UInt8>).map { $0 &* $0 &* 37 }).base64EncodedString()

    private let server: StandInServer
    private let tool: Tool

    init() throws {
        (server, tool) = (try StandInServer(), try Tool())
    }

    private func send(_ words: [String], _ changes: [String: String] = [:]) throws -> Shell.Outcome {
        let settings = [
            "SMS_URL": server.smsURL, "SMS_SECRET": WebhookKeys.usualSecret, "SMTP_URL": server.smtpURL,
            "MAIL_FROM": "a@example.com",
        ]
        let outcome = try tool.run(words, tool.settings(settings.merging(changes) { $1 }))
        #expect(!outcome.everything.contains(WebhookKeys.usualSecret))
        return outcome
    }

    @Test(
        "codes test hands a message to the gateway or the mail server",
        arguments: ["+8613800138000", "ann@example.com"])
    func codes(address: String) throws {
        try send(["codes", "test", address]).expect(0, printing: "the message was accepted")
        #expect(server.inbox.lastNumber == 1)
    }

    @Test("codes test exits 1 for a message that is not accepted, and 2 for what cannot be sent")
    func refusedCodes() throws {
        try send(["codes", "test", "+8613800138000"], ["SMS_SECRET": Self.otherSecret]).expectRefusal(
            1, saying: "refuses the login")
        try send(["codes", "test", "ann@example.com"], ["SMTP_URL": "smtp://127.0.0.1:1"]).expectRefusal(
            1, saying: "cannot be used")
        try send(["codes", "test", "ann@example.com"], ["SMTP_URL": ""]).expectRefusal(2, saying: "SMTP_URL is not set")
        try send(["codes", "test", "13800138000"]).expectRefusal(2, saying: "ADDRESS must be")
        #expect(server.inbox.lastNumber == 0)
    }

    @Test("events test sends a signed event of a type that a receiver ignores")
    func events() throws {
        let port = try FreePort.any()
        let example = try ChildProcess(
            ["/usr/bin/python3", "-B", Executable.root + "/deploy/examples/comments.py"],
            environment: [
                "EVENTS_SECRET": WebhookKeys.usualSecret, "DATABASE": tool.folder.file("comments.db"),
                "LISTEN": "127.0.0.1:\(port)",
            ], log: tool.folder.file("example.log"))
        defer { example.stop() }
        let settings = ["EVENTS_URL": "http://127.0.0.1:\(port)/events", "EVENTS_SECRET": WebhookKeys.usualSecret]
        // The example needs a moment to start.
        #expect(
            try Eventually.holds { try send(["events", "test", "default"], settings).status == 0 }, "\(example.log)")
        let other = ["EVENTS_URL": "http://127.0.0.1:\(port)/events", "EVENTS_SECRET": Self.otherSecret]
        try send(["events", "test", "default"], other).expectRefusal(1, saying: "status 401")
    }

    @Test("events test names the receivers that there are, and exits 3 without an answer")
    func unknownReceiver() throws {
        let settings = ["EVENTS_URL": "http://127.0.0.1:1/", "EVENTS_SECRET": WebhookKeys.usualSecret]
        try send(["events", "test", "shop"], settings).expectRefusal(2, saying: "they have default")
        try send(["events", "test", "default"], settings).expectRefusal(3, saying: "default: ")
    }
}

@Suite("The check of the outbox")
struct OutboxCheckTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    private func findings(
        configured: [String]? = ["shop"], stopped: Bool = false, waiting: Int = 0, age: Int64 = 0, dead: Int = 0
    ) -> [Finding] {
        let state = ReceiverState(
            subscription: EventSubscription(name: "shop", types: nil), seenAt: Self.now,
            stoppedAt: stopped ? Self.now : nil, waiting: waiting,
            oldest: waiting > 0 ? Self.now - .seconds(age) : nil, dead: dead)
        return OutboxCheck(database: nil, configured: configured).evaluate([state], now: Self.now)
    }

    @Test("Events that wait for some minutes are normal")
    func normal() {
        #expect(findings() == [.ok("nothing waits")])
        #expect(findings(waiting: 5, age: 599).map(\.grade) == [.ok])
    }

    @Test("Old events and a receiver that was stopped are faults, and dead letters are worth a note")
    func grades() {
        #expect(findings(waiting: 5, age: 700).map(\.grade) == [.fault])
        #expect(findings(stopped: true, waiting: 5, age: 700, dead: 1).map(\.grade) == [.fault])
        #expect(findings(dead: 3).map(\.grade) == [.note])
        #expect(findings(waiting: 5, age: 700, dead: 3).map(\.grade) == [.fault, .note])
    }

    @Test("Receivers that are only in the settings, or no longer there, are named")
    func settings() {
        #expect(findings(configured: [], waiting: 5, age: 700).map(\.grade) == [.note])
        #expect(findings(configured: ["shop", "forum"]).map(\.grade) == [.note])
        #expect(findings(configured: nil).map(\.grade) == [.ok] && !OutboxCheck(database: nil, configured: []).isNeeded)
        #expect(!OutboxCheck(database: nil, configured: nil).isNeeded)
        #expect(OutboxCheck(database: nil, configured: ["shop"]).isNeeded)
    }
}
