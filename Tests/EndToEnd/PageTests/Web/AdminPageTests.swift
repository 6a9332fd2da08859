import Foundation
import Gatehouse
import TestSupport
import Testing

@testable import ServerSupport

/// The page at `/admin/` in browsers. Each scenario is a function of `web_admin.py`.
@Suite("The page for administrators")
struct AdminPageTests {
    private static let inChromium = [
        ["admin_refused", "admin_old_login", "admin_refusals", "admin_lost_device", "admin_disable"],
        ["admin_merge", "admin_dead_letter", "admin_scripts", "admin_look"],
    ]

    private static let inFirefox = [
        ["admin_refused", "admin_old_login", "admin_lost_device", "admin_disable", "admin_merge", "admin_scripts"]
    ]

    @Test("Support's tasks are done, and no text of a user runs, in Chromium", .needs(.chromium), arguments: inChromium)
    func chromium(scenarios: [String]) throws { try run(scenarios, in: "chromium") }

    @Test("Support's tasks are done, and no text of a user runs, in Firefox", .needs(.firefox), arguments: inFirefox)
    func firefox(scenarios: [String]) throws { try run(scenarios, in: "firefox") }

    /// An entry without a sentence would be shown as its type.
    @Test(
        "Every type of the audit trail, every reason of a refusal and every limit of codes has a sentence in both languages"
    )
    func sentences() throws {
        let file = Executable.root + "/deploy/web/admin/sentences.js"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let words =
            AuditEntry.Kind.allCases.map(\.rawValue) + IdentityFault.Reason.allCases.map(\.rawValue)
            + CodeScope.allCases.map(\.rawValue)
        for word in words { #expect(try text.contains(Regex("(?m)^  \(word): ")), "\(word)") }
        let pairs = text.matches(of: /\["([^"]+)",\s+"([^"]+)"\]/)
        #expect(pairs.count > 50)
        for pair in pairs {
            let isChinese = [pair.output.1, pair.output.2].map { $0.unicodeScalars.contains { $0.value >= 0x4E00 } }
            #expect(isChinese == [false, true], "\(pair.output.0)")
        }
    }

    private static let receiver = Result { try FreePort.any() }
    private static let secret = Result {
        let folder = try TemporaryFolder()
        let key = Data((0..<32).map { _ in .random(in: .min ... .max) }).base64EncodedString()
        try "whsec_\(key)".write(toFile: folder.file("secret"), atomically: true, encoding: .utf8)
        return folder
    }

    /// Its events go to a service that is down. One test may ask for many codes.
    private static let server = Result {
        try DevelopmentServer(environment: [
            "ADMIN_API": "on", "CODES_PER_CLIENT": "1000/1h", "CODES_PER_NETWORK": "1000/1h",
            "CODES_PER_ADDRESS": "100/1h", "CODES_PER_ADDRESS_AND_NETWORK": "100/1h",
            "CODES_PER_PREFIX_AND_NETWORK": "100/1h",
            "EVENTS_URL": "http://127.0.0.1:\(try receiver.get())/events",
            "EVENTS_SECRET_FILE": try secret.get().file("secret"),
        ])
    }

    /// One browser runs all of the scenarios. `GATEHOUSE_SCREENSHOTS` names a folder for screenshots.
    private func run(_ scenarios: [String], in browser: String) throws {
        let server = try Self.server.get()
        let folder = try TemporaryFolder()
        let outcome = try Shell.outcome(
            of: [
                "timeout", "--kill-after=10", "900", "/usr/bin/python3", "-B",
                Executable.root + "/Tests/EndToEnd/Scripts/Web/web.py", browser, folder.file("profile"),
                "https://localhost:\(server.port)", "http://127.0.0.1:\(server.applePort)/inbox",
                server.data + "/nginx", "\(try Self.receiver.get())",
            ] + scenarios,
            environment: [
                "PATH": DevelopmentServer.path, "HOME": folder.path, "TMPDIR": NSTemporaryDirectory(),
                "GATEHOUSE": server.folder.file("checkout/.build/debug/gatehouse"),
                "GATEHOUSE_CONFIG": server.data + "/gatehouse.conf",
                "GATEHOUSE_SCREENSHOTS": ProcessInfo.processInfo.environment["GATEHOUSE_SCREENSHOTS"] ?? "",
            ])
        #expect(outcome.status == 0, "\(scenarios): \(outcome.errorOutput)\(outcome.text)")
    }
}
