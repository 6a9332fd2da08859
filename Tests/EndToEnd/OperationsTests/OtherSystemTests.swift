import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// Runs the scripts as on a Mac: with a PATH that has a shell and the usual programs, and none of Debian's.
@Suite("Where there is no Debian, a script prints one line with what to type instead, and does nothing")
struct OtherSystemTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: true)
        let usual = [
            "env", "bash", "sh", "dirname", "cat", "grep", "sed", "sort", "uniq", "mkdir", "readlink", "id", "tr",
        ]
        for name in usual { try link(name) }
    }

    private func link(_ name: String) throws {
        let path = try Shell.run(["sh", "-c", "command -v \(name)"])
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("bin/" + name),
            withDestinationPath: String(decoding: path, as: UTF8.self).trimmingCharacters(in: .newlines))
    }

    private func run(_ script: String, _ arguments: String..., kind: String? = nil) throws -> Shell.Outcome {
        let environment = ["PATH": folder.file("bin")].merging(kind.map { ["OSTYPE": $0] } ?? [:]) { $1 }
        return try Shell.outcome(of: [Executable.root + "/deploy/" + script] + arguments, environment: environment)
    }

    static let scripts = ["run", "test", "package", "release", "bench"]

    @Test("Without its programs", arguments: scripts)
    func withoutPrograms(_ script: String) throws {
        let outcome = try run(script, "--no-such-option")
        #expect(outcome.status == 3)
        #expect(outcome.text == "")
        #expect(outcome.errorOutput.contains(/^deploy\/[a-z]+: this needs Debian. Type instead: docker [^\n]+\n$/))
        #expect(outcome.errorOutput.contains(Executable.root))
    }

    @Test(
        "Without one of its programs",
        arguments: ["dpkg-query", "apt-get", "flock", "setpriv", "setsid"])
    func withoutOne(_ missing: String) throws {
        for name in ["dpkg-query", "apt-get", "flock", "setpriv", "setsid"] where name != missing { try link(name) }
        let outcome = try run("run")
        #expect(outcome.status == 3)
        #expect(outcome.errorOutput.split(separator: "\n").count == 1 && outcome.errorOutput.contains("docker compose"))
    }

    @Test("On another kernel, whatever is installed")
    func otherKernel() throws {
        for name in ["dpkg-query", "apt-get", "flock", "setpriv", "setsid"] { try link(name) }
        #expect(try run("run", kind: "darwin23").errorOutput.contains("docker compose"))
    }

    @Test("The line for tests has the script's arguments")
    func arguments() throws {
        let outcome = try run("test", "--filter", "a b|c")
        #expect(outcome.errorOutput.contains(#" deploy/test --filter a\ b\|c"#))
        #expect(outcome.errorOutput.contains(":/source"))
    }

    @Test("The help is shown everywhere", arguments: scripts)
    func help(_ script: String) throws {
        let outcome = try run(script, "--help")
        #expect(outcome.status == 0 && outcome.errorOutput == "")
        #expect(outcome.text.hasPrefix("usage: deploy/\(script)"))
    }

    @Test("The README has the lines within its first 20")
    func readme() throws {
        let text = try String(contentsOfFile: Executable.root + "/README.md", encoding: .utf8)
        let start = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(20).joined(separator: "\n")
        #expect(start.contains("docker compose -f deploy/docker-compose.yml up"))
        #expect(start.contains("`./deploy/test` prints there"))
    }
}

@Suite("With an older Swift, a script that builds says which one it needs")
struct OlderSwiftTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What is printed where a program called swift prints its version so; nothing if it is new enough.
    private func refusal(of version: String, status: Int = 0) throws -> String {
        // Another process writes it: a child process of another test could inherit a descriptor that is open for writing.
        try Shell.run(
            ["sh", "-c", "cat >$0 && chmod +x $0", folder.file("swift")],
            input: Array("#!/bin/sh\necho '\(version)'\nexit \(status)\n".utf8))
        let outcome = try Shell.outcome(
            of: [
                "bash", "-euo", "pipefail", "-c",
                "source \(Executable.root)/deploy/lib/needs-debian x; needs_swift", "deploy/test",
            ],
            environment: ["PATH": folder.path + ":/usr/bin:/bin"])
        #expect(outcome.status == (outcome.errorOutput.isEmpty ? 0 : 3))
        return outcome.errorOutput
    }

    @Test(
        "by its number",
        arguments: [
            "Swift version 6.2.3 (swift-6.2.3-RELEASE)", "swift-driver version: 1.127 Apple Swift version 6.2 (x)",
            "Swift version 5.10.1 (swift-5.10.1-RELEASE)",
        ])
    func older(_ version: String) throws {
        #expect(
            try refusal(of: version).contains(
                /^deploy\/test: Swift (6\.2|5\.10) on the PATH is too old: install Swift 6\.3 or later, [^\n]+\n$/
            ))
    }

    @Test(
        "and takes a later one, and one whose number it cannot read",
        arguments: [
            "Swift version 6.3.1 (swift-6.3.1-RELEASE)", "Swift version 6.10-dev", "Swift version 7.0",
            "another program",
        ])
    func later(_ version: String) throws { #expect(try refusal(of: version) == "") }

    @Test("and takes one that does not start: the script may be about to install what it needs")
    func broken() throws { #expect(try refusal(of: "", status: 127) == "") }

    @Test("before it builds", arguments: ["run", "test", "package", "bench"])
    func scripts(_ name: String) throws {
        let script = try String(contentsOfFile: Executable.root + "/deploy/" + name, encoding: .utf8)
        #expect(script.contains(/\n *needs_swift\n/))
    }
}
