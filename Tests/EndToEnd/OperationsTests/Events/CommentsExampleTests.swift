import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// `deploy/examples/comments.py` as a receiver, behind a network that loses, doubles, delays and repeats requests.
@Suite("The example service and its events")
struct CommentsExampleTests {
    private static let ways: Set = ["pass", "lose", "lose_answer", "double", "delay", "repeat_old"]

    private let folder: TemporaryFolder
    private let service: ChildProcess
    private let proxy: ChildProcess
    private let servicePort: UInt16
    private let fixture: EventFixture

    init() throws {
        folder = try TemporaryFolder()
        let proxyPort = try FreePort.any()
        servicePort = try FreePort.any()
        service = try ChildProcess(
            ["/usr/bin/python3", "-B", Executable.root + "/deploy/examples/comments.py"],
            environment: [
                "EVENTS_SECRET": EventReceiverProcess.secret, "DATABASE": folder.file("comments.db"),
                "LISTEN": "127.0.0.1:\(servicePort)",
            ], log: folder.file("service.log"))
        try service.waitUntilListening(at: servicePort)
        proxy = try ChildProcess(
            [
                "/usr/bin/python3", "-B", Executable.root + "/Tests/EndToEnd/Scripts/faulty-proxy.py",
                "\(proxyPort)", "\(servicePort)", "7", folder.file("ledger"), "40",
            ], environment: [:], log: folder.file("proxy.log"))
        try proxy.waitUntilListening(at: proxyPort)
        let settings = "URL=http://127.0.0.1:\(proxyPort)/events\nSECRET=\(EventReceiverProcess.secret)\n"
        fixture = try EventFixture(["comments": settings])
    }

    /// As nginx passes it on behind the guard.
    private func write(_ text: String, by user: String) throws -> Int {
        let body: JSONObject = ["text": .string(text)]
        let answer = try Shell.run([
            "curl", "-s", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", "-H", "X-User-Id: " + user,
            "--data",
            body.description, "http://127.0.0.1:\(servicePort)/comments",
        ])
        return Int(String(decoding: answer, as: UTF8.self)) ?? 0
    }

    /// The nickname and the text of each comment, the oldest first.
    private func comments() throws -> [String] {
        let answer = try Shell.run(["curl", "-s", "--noproxy", "*", "http://127.0.0.1:\(servicePort)/comments"])
        let comments = try JSONValue(parsing: answer).object?["comments"]?.array?.compactMap(\.object) ?? []
        return comments.reversed().map { "\($0["nickname"]?.string ?? "-"): \($0["text"]?.string ?? "-")" }
    }

    @Test("Its rows are right at the end, whatever the network does")
    func faultyNetwork() throws {
        let names = ["Ada", "Bob", "Chloe", "Dan", "Eve", "Finn"]
        for name in names { try fixture.users.live(name, isDeleted: ["Bob", "Eve"].contains(name)) }
        // Comments of users whose events may not have arrived yet.
        let types = fixture.users.expected
        for (user, types) in types { #expect([201, 403].contains(try write("of \(user) \(types.count)", by: user))) }
        let present = types.filter { $0.value.last != "user.deleted" }
        #expect(types.count == 6 && present.count == 4)
        #expect(
            try Eventually.holds(within: 300, every: 0.1) { try fixture.state(of: "comments")["waiting"] == 0 })
        let found = try comments()
        #expect(
            Set(found.map { $0.prefix { $0 != ":" } }) == [
                "Ada at last", "Chloe at last", "Dan at last", "Finn at last",
            ])
        #expect(found.count == 4)
        for user in present.keys { #expect(found.contains { $0.contains("of \(user) ") }) }
        for user in types.keys where present[user] == nil { #expect(try write("late", by: user) == 403) }
        let ledger = Set(try String(contentsOfFile: folder.file("ledger"), encoding: .utf8).split(separator: "\n"))
        #expect(Set(ledger.map(String.init)) == Self.ways)
    }
}
