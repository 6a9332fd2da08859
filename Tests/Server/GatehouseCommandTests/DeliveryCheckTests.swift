import FakeProviders
import Foundation
import GatehouseStore
import JSON
import TestSupport
import Testing

@Suite("gatehouse check of the SMS gateway and the mail server")
struct DeliveryCheckTests {
    private let server: FakeProviderServer
    private let tool: Tool

    init() throws {
        (server, tool) = (try FakeProviderServer(), try Tool())
        _ = try SQLiteFile(path: tool.folder.file("gatehouse.db")).migrate()
    }

    private func check(_ changes: [String: String] = [:], _ words: String...) throws -> [String: String] {
        let settings = [
            "APP_ENV": "development", "SMS_URL": server.smsURL, "SMS_SECRET": WebhookKeys.usualSecret,
            "PHONE_COUNTRIES": "CN", "SMTP_URL": server.smtpURL, "MAIL_FROM": "a@example.com",
        ].merging(changes) { $1 }
        let outcome = try tool.run(["check", "--json"] + words, tool.settings(settings), seconds: 60)
        #expect(!outcome.everything.contains(WebhookKeys.usualSecret))
        let checks = try JSONValue(parsing: outcome.output).object?["checks"]?.array?.compactMap(\.object) ?? []
        let lines = checks.compactMap { check -> (String, String)? in
            guard let subject = check["subject"]?.string, ["SMS gateway", "mail server"].contains(subject) else {
                return nil
            }
            return (subject, "\(check["state"]?.string ?? ""): \(check["message"]?.string ?? "")")
        }
        return Dictionary(lines) { first, _ in first }
    }

    @Test("connects to both, and sends nothing")
    func sound() throws {
        let lines = try check()
        #expect(lines.count == 2 && lines.values.allSatisfy { $0.hasPrefix("ok: it can be reached") }, "\(lines)")
        #expect(server.inbox.lastNumber == 0)
    }

    @Test("says which of them cannot be reached, and that nothing was asked with --offline")
    func faults() throws {
        let lines = try check(["SMS_URL": "http://127.0.0.1:1/", "SMTP_URL": "smtp://127.0.0.1:1"])
        #expect(lines.count == 2 && lines.values.allSatisfy { $0.hasPrefix("fault: it cannot be used") }, "\(lines)")
        let offline = try check([:], "--offline")
        #expect(offline.count == 2 && offline.values.allSatisfy { $0 == "note: not checked: --offline" })
    }
}
