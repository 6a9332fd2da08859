import Foundation
import JSON
import TestSupport
import Testing

@Suite("The error that ends a command")
struct FatalLineTests {
    private static let causes: [(words: [String], settings: [String: String], faults: [String])] = [
        (
            ["serve"],
            [
                "WORKERS": "many", "LISTEN": "here", "ACCESS_TOKEN_TTL": "soon", "JWT_ACCESS_SECRET": "hunter2",
                "JWT_REFRESH_SECRET": String(repeating: "0", count: 64), "DATA_KEY": String(repeating: "A", count: 43),
            ],
            [
                "LISTEN must be ", "WORKERS must be ", "ACCESS_TOKEN_TTL ", "JWT_ACCESS_SECRET is too short",
                "JWT_REFRESH_SECRET is ", "DATA_KEY is ",
            ]
        ),
        (["serve"], ["DATABASE_URL": "sqlite:/nowhere/at/all.db"], ["/nowhere/at/all.db"]),
        (["serve"], ["LISTEN": "unix:/nowhere/at/all.sock"], ["/nowhere/at/all.sock"]),
        (["serve", "--nope", "now"], [:], ["unknown option --nope", "unexpected argument now"]),
    ]

    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    /// Runs a command whose standard error is the stream that JOURNAL_STREAM names, as under systemd.
    private func inJournal(_ words: [String], _ settings: [String: String]) throws -> [String] {
        let path = try tool.file("journal", "")
        let script = "JOURNAL_STREAM=$(stat -c %d:%i \(path)) exec \"$@\" 2>\(path)"
        _ = try Shell.outcome(
            of: ["/bin/sh", "-c", script, "sh", "/usr/bin/timeout", "20", Executable.gatehouse] + words,
            environment: settings.merging(["PATH": "/usr/bin:/bin"]) { $1 })
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func expectFatal(_ lines: [String], _ command: String, prefix: String, faults: [String]) throws {
        var found: [String] = []
        for line in lines where line.contains("\"error\"") {
            #expect(line.hasPrefix(prefix + "{"), "\(line)")
            let object = try JSONValue(parsing: Array(line.dropFirst(prefix.count).utf8)).object ?? [:]
            #expect(object["event"] == "fatal" && object["command"] == .string(command))
            #expect(object["time"]?.string?.isEmpty == false)
            found.append(object["fault"]?.string ?? "")
        }
        #expect(found.count == faults.count, "\(lines)")
        for fault in faults { #expect(found.contains { $0.contains(fault) }, "\(fault): \(lines)") }
    }

    @Test(
        "is a log line for each fault of the server, with a priority in the journal", arguments: 0..<4)
    func server(_ number: Int) throws {
        let (words, changes, faults) = Self.causes[number]
        let settings = tool.settings(changes)
        let outcome = try tool.run(words, settings)
        let lines = outcome.errorOutput.split(separator: "\n").map(String.init)
        #expect(outcome.status == (number == 0 || number == 3 ? 2 : 3))
        #expect(lines.allSatisfy { $0.hasPrefix("{") }, "\(lines)")
        try expectFatal(lines, "serve", prefix: "", faults: faults)
        #expect(!outcome.everything.contains("hunter2") && !outcome.everything.contains("AAAA"))
        let database = tool.folder.file("gatehouse.db")
        #expect(number == 2 || !FileManager.default.fileExists(atPath: database), "nothing was begun")
        try expectFatal(try inJournal(words, settings), "serve", prefix: "<3>", faults: faults)
    }

    @Test("is plain text on a terminal")
    func terminal() throws {
        let outcome = try Shell.outcome(
            of: ["script", "--quiet", "--return", "--command", "\(Executable.gatehouse) serve", "/dev/null"],
            environment: tool.settings(["WORKERS": "many", "PATH": "/usr/bin:/bin"]))
        #expect(outcome.status == 2)
        #expect(outcome.text.contains("gatehouse: the configuration is not usable:"), "\(outcome.text)")
        #expect(outcome.text.contains("\n  WORKERS must be a number"), "\(outcome.text)")
    }

    @Test("is a log line for any command in the journal, and plain text otherwise")
    func others() throws {
        let words = ["backup", tool.folder.file("copy.db")]
        let settings = tool.settings()
        try expectFatal(try inJournal(words, settings), "backup", prefix: "<3>", faults: ["there is no database"])
        #expect(try tool.run(words, settings).errorOutput.hasPrefix("gatehouse: no backup was made at "))
    }
}
