import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// Runs the script of ExecStopPost= with a temporary folder and a simulated clock.
@Suite("The script that runs after the service has stopped")
struct StoppedScriptTests {
    /// One stop of the service, in seconds since the boot.
    struct End {
        let second: Int
        let result: String
        var status = ""

        static func crash(_ second: Int) -> End { End(second: second, result: "signal") }
        static func refusal(_ second: Int) -> End { End(second: second, result: "exit-code", status: "2") }
        static func success(_ second: Int) -> End { End(second: second, result: "success") }
        static func timeout(_ second: Int) -> End { End(second: second, result: "timeout") }
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        var script = try String(contentsOfFile: Executable.root + "/deploy/debian/stopped", encoding: .utf8)
        for (path, name) in [("/run/gatehouse/failures", "failures"), ("/proc/uptime", "uptime")] {
            script.replace(path, with: folder.file(name))
        }
        try write(script, to: "stopped")
        try FileManager.default.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: false)
        try program("systemctl", "echo \"$*\" >>'\(folder.file("systemctl-calls"))'")
        try program("sleep", "exit 0")
    }

    /// Another process writes the file. If this one had it open for writing, a child process of another test could
    /// inherit the descriptor, and executing the file would fail.
    private func program(_ name: String, _ text: String) throws {
        try write("#!/bin/sh\n\(text)\n", to: name + ".text")
        try Shell.run(["install", "-m", "755", folder.file(name + ".text"), folder.file("bin/" + name)])
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    }

    /// - Returns: whether OnFailure= raises an alert.
    @discardableResult
    private func runScript(_ end: End) throws -> Bool {
        try write("\(end.second).25 1.00\n", to: "uptime")
        let environment = [
            "PATH": folder.file("bin") + ":/usr/bin:/bin", "SERVICE_RESULT": end.result,
            "EXIT_CODE": end.status.isEmpty ? "killed" : "exited", "EXIT_STATUS": end.status,
        ]
        let outcome = try Shell.outcome(of: ["/bin/sh", folder.file("stopped")], environment: environment)
        #expect(outcome.status == 0 && outcome.errorOutput == "", "\(outcome.errorOutput)")
        return end.status == "2" && !isSilenced
    }

    /// Whether the units of OnFailure= stay silent.
    private var isSilenced: Bool {
        FileManager.default.fileExists(atPath: folder.file("failures/gatehouse.service.silent"))
    }

    /// The arguments of the calls of systemctl.
    private var systemctlCalls: [String] {
        let text = (try? String(contentsOfFile: folder.file("systemctl-calls"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Counts the alerts of the script and of OnFailure=.
    private func alerts(after ends: [End]) throws -> Int {
        let start = "--no-block start gatehouse-failed@gatehouse.service.service"
        return try ends.count { try runScript($0) } + systemctlCalls.count { $0 == start }
    }

    @Test(
        "Each kind of failure raises one alert",
        arguments: [
            ([], 0), ([.success(10), .success(20)], 0),
            ([.crash(10), .crash(20)], 0),
            ([.crash(10), .crash(20), .crash(600)], 1),
            // The third crash is more than ten minutes after the first.
            ([.crash(10), .crash(300), .crash(611)], 0),
            ([.crash(10), .crash(11), .crash(12), .crash(13), .crash(500), .crash(1000)], 1),
            // A stop and start by an operator between two crashes does not end the series.
            ([.crash(10), .success(11), .crash(12), .success(13), .crash(14)], 1),
            // The service ran, was stopped by the operator and failed again, which is a new failure.
            ([.crash(10), .crash(11), .crash(12), .success(13), .crash(14), .crash(15)], 2),
            // The service ran for ten minutes and failed again.
            ([.crash(10), .crash(11), .crash(12), .crash(700), .crash(701), .crash(702), .crash(703)], 2),
            ([.refusal(10)], 1), ([.refusal(10), .refusal(20), .refusal(5000)], 1),
            ([.refusal(10), .success(60), .refusal(70)], 2), ([.refusal(10), .crash(60), .refusal(70)], 2),
            // Each kind of failure raises its own alert.
            ([.refusal(10), .crash(60), .crash(61), .crash(62)], 2),
            ([.timeout(10), .timeout(400)], 1), ([.timeout(10), .success(60), .timeout(400)], 2),
        ] as [([End], Int)])
    func oneAlertPerFailure(ends: [End], expected: Int) throws {
        #expect(try alerts(after: ends) == expected)
    }

    @Test("The socket is stopped after a refused start only")
    func socket() throws {
        for end in [End.crash(1), .success(2), .timeout(3)] { try runScript(end) }
        let stop = "--job-mode=ignore-dependencies stop gatehouse.socket"
        #expect(!systemctlCalls.contains(stop))
        try runScript(.refusal(4))
        #expect(systemctlCalls.last == stop)
        try runScript(.refusal(5))
        #expect(systemctlCalls.suffix(2) == [stop, stop])
    }

    @Test("Any other exit status counts as a crash")
    func otherStatus() throws {
        let ends = (1...3).map { End(second: $0, result: "exit-code", status: "3") }
        #expect(try alerts(after: ends) == 1)
        #expect(systemctlCalls.count == 1)
    }
}
