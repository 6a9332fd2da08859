import Foundation
import JSON
import TestSupport
import Testing

/// Runs the programs that are built beside these tests, in an environment with only the given variables
/// and in a temporary folder.
struct Tool {
    static let secrets = [
        "JWT_ACCESS_SECRET": "access-secret-of-the-tests-0123456789",
        "JWT_REFRESH_SECRET": "refresh-secret-of-the-tests-012345678",
    ]

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs a command to its end, with a time limit.
    func run(
        _ words: [String], _ environment: [String: String] = [:], input: String = "", seconds: Int = 20
    ) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["/usr/bin/timeout", "\(seconds)", Executable.gatehouse] + words, environment: environment,
            input: Array(input.utf8))
    }

    func run(_ words: String...) throws -> Shell.Outcome { try run(words) }

    /// Runs the program stand-in, with its keys in this folder unless others are given.
    func runStandIn(_ words: [String], _ environment: [String: String] = [:]) throws -> Shell.Outcome {
        let keys = words.contains("--keys") ? [] : ["--keys", folder.file("apple")]
        return try Shell.outcome(
            of: ["/usr/bin/timeout", "20", Executable.standIn] + words + keys, environment: environment)
    }

    /// Starts a stand-in at a free port, with its keys in this folder.
    func startStandIn(_ words: [String] = [], _ environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            [Executable.standIn, "serve", "--port", "0", "--keys", folder.file("apple")] + words,
            environment: environment, log: folder.file("log"))
    }

    /// Starts a command that does not end by itself.
    func start(_ words: [String], _ environment: [String: String]) throws -> ChildProcess {
        try ChildProcess([Executable.gatehouse] + words, environment: environment, log: folder.file("log"))
    }

    /// Writes a file into the folder and returns its path.
    func file(_ name: String, _ content: String) throws -> String {
        try content.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        return folder.file(name)
    }

    /// Valid settings for a server in this folder.
    func settings(_ changes: [String: String] = [:]) -> [String: String] {
        Self.secrets.merging([
            "APPLE_BUNDLE_ID": "com.example.app", "DATABASE_URL": "sqlite:" + folder.file("gatehouse.db"),
            "LISTEN": "unix:" + folder.file("s"), "APPLE_JWKS_URL": "http://127.0.0.1:1/auth/keys",
        ]) { $1 }.merging(changes) { $1 }
    }
}

extension Shell.Outcome {
    /// Both streams.
    var everything: String { text + errorOutput }

    /// Expects this exit status, and these texts on standard error and on standard output.
    func expect(
        _ status: Int32, saying errors: String..., printing texts: String..., place: SourceLocation = #_sourceLocation
    ) {
        let isSaid = errors.allSatisfy { errorOutput.contains($0) }
        let isPrinted = texts.allSatisfy { text.contains($0) }
        #expect(self.status == status && isSaid && isPrinted, "\(everything)", sourceLocation: place)
    }

    /// Expects this exit status, these texts on standard error, and an empty standard output.
    func expectRefusal(_ status: Int32, saying errors: String..., place: SourceLocation = #_sourceLocation) {
        let isSaid = errors.allSatisfy { errorOutput.contains($0) }
        #expect(self.status == status && isSaid && output.isEmpty, "\(everything)", sourceLocation: place)
    }

    /// The lines of a command that verifies a token: mark, check and text.
    var report: [(mark: String, check: String, text: String)] {
        errorOutput.split(separator: "\n").map { line in
            let words = line.split(separator: /\s\s+/, maxSplits: 2).map(String.init)
            return (words[0], words[1], words.count > 2 ? words[2] : "")
        }
    }
}

/// A line of the report of `gatehouse check`.
struct CheckLine {
    let subject: String
    let state: String
    let message: String
    let advice: String?

    func begins(_ state: String, _ message: String) -> Bool { self.state == state && self.message.hasPrefix(message) }
}

extension Tool {
    /// The lines about subjects that begin so, for a server of developers. No secret is in the report.
    func checkLines(
        about subjects: [String], _ changes: [String: String], _ words: [String], hiding secrets: [String]
    ) throws -> [CheckLine] {
        let settings = settings(["APP_ENV": "development"].merging(changes) { $1 })
        let outcome = try run(["check", "--json"] + words, settings, seconds: 60)
        for secret in secrets { #expect(!outcome.everything.contains(secret)) }
        let checks = try JSONValue(parsing: outcome.output).object?["checks"]?.array?.compactMap(\.object) ?? []
        return checks.compactMap { check -> CheckLine? in
            let subject = check["subject"]?.string ?? ""
            guard subjects.contains(where: { subject.hasPrefix($0) }) else { return nil }
            return CheckLine(
                subject: subject, state: check["state"]?.string ?? "", message: check["message"]?.string ?? "",
                advice: check["advice"]?.string)
        }
    }
}

/// Fetches a URL with curl.
enum HTTP {
    static func get(_ url: String) throws -> [UInt8] {
        try Shell.run(["/usr/bin/curl", "--silent", "--fail", "--max-time", "60", url])
    }
}

/// A debugger command that kills its child before a system call.
enum Killing {
    /// - Parameter count: 1 for the first call of that name, 2 for the second.
    static func at(_ call: String, _ count: Int) -> [String] {
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call] + [
            "-e", "inject=\(call):signal=SIGKILL:when=\(count)",
        ]
    }
}
