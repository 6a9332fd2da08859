import EventDelivery
import Foundation
import GatehouseStore
import JSON
import Sockets
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

    /// The lines of the receivers, with the advice.
    private func check(_ changes: [String: String], _ words: String...) throws -> [String: String] {
        let outcome = try tool.run(
            ["check", "--json"] + words, tool.settings(["APP_ENV": "development"].merging(changes) { $1 }), seconds: 60)
        #expect(!outcome.everything.contains(Self.secret))
        let checks = try JSONValue(parsing: outcome.output).object?["checks"]?.array?.compactMap(\.object) ?? []
        let lines = checks.compactMap { check -> (String, String)? in
            guard let subject = check["subject"]?.string, subject.hasPrefix("receiver ") else { return nil }
            let parts = ["state", "message", "advice"].map { check[$0]?.string ?? "" }
            return (subject, parts.joined(separator: ": "))
        }
        return Dictionary(lines) { first, _ in first }
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
        let lines = try check(settings)
        #expect(lines.count == 3)
        #expect(lines["receiver default"]?.hasPrefix("ok: it can be reached") == true, "\(lines)")
        #expect(lines["receiver closed"]?.hasPrefix("fault: it cannot be reached: ") == true, "\(lines)")
        let internalLine = try #require(lines["receiver internal"])
        #expect(internalLine.hasPrefix("fault: the name in URL has a private address, so no event is sent to it"))
        #expect(internalLine.contains("PRIVATE_ADDRESSES=permitted in \(tool.folder.file("receivers/internal.conf"))"))
        let offline = try check(settings, "--offline")
        #expect(offline.count == 3 && offline.values.allSatisfy { $0.hasPrefix("note: not checked: --offline") })
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
