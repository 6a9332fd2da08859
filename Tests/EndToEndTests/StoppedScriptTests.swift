import Foundation
import TestSupport
import Testing

/// What the unit runs when the service has ended, on folders and a clock of a test's own.
@Suite("The script that runs when the service has ended")
struct StoppedScriptTests {
    /// One end of the service, some seconds after the boot.
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
        try program("systemctl", "echo \"$*\" >>'\(folder.file("asked"))'")
        try program("sleep", "exit 0")
    }

    /// Another process writes it: a file that this one has open to write could be busy in a child of another test.
    private func program(_ name: String, _ text: String) throws {
        try write("#!/bin/sh\n\(text)\n", to: name + ".text")
        try Shell.run(["install", "-m", "755", folder.file(name + ".text"), folder.file("bin/" + name)])
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    }

    /// - Returns: whether OnFailure= raises an alert.
    @discardableResult
    private func pass(_ end: End) throws -> Bool {
        try write("\(end.second).25 1.00\n", to: "uptime")
        let environment = [
            "PATH": folder.file("bin") + ":/usr/bin:/bin", "SERVICE_RESULT": end.result,
            "EXIT_CODE": end.status.isEmpty ? "killed" : "exited", "EXIT_STATUS": end.status,
        ]
        let outcome = try Shell.outcome(of: ["/bin/sh", folder.file("stopped")], environment: environment)
        #expect(outcome.status == 0 && outcome.complaint == "", "\(outcome.complaint)")
        return end.status == "2" && !isSilenced
    }

    /// Whether what OnFailure= starts does nothing.
    private var isSilenced: Bool {
        FileManager.default.fileExists(atPath: folder.file("failures/gatehouse.service.silent"))
    }

    /// What systemd was asked for.
    private var asked: [String] {
        let text = (try? String(contentsOfFile: folder.file("asked"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Those that the script asked for, and those of OnFailure=.
    private func alerts(after ends: [End]) throws -> Int {
        let start = "--no-block start gatehouse-failed@gatehouse.service.service"
        return try ends.count { try pass($0) } + asked.count { $0 == start }
    }

    @Test(
        "raises an alert once for each kind of failure",
        arguments: [
            ([], 0), ([.success(10), .success(20)], 0),
            ([.crash(10), .crash(20)], 0),
            ([.crash(10), .crash(20), .crash(600)], 1),
            // The first is no longer within ten minutes of the third.
            ([.crash(10), .crash(300), .crash(611)], 0),
            ([.crash(10), .crash(11), .crash(12), .crash(13), .crash(500), .crash(1000)], 1),
            // Stopped and started by an operator in between, it is the same loop.
            ([.crash(10), .success(11), .crash(12), .success(13), .crash(14)], 1),
            // Mended by an operator, and broken again: that is told at once.
            ([.crash(10), .crash(11), .crash(12), .success(13), .crash(14), .crash(15)], 2),
            // Well for ten minutes, and then not again.
            ([.crash(10), .crash(11), .crash(12), .crash(700), .crash(701), .crash(702), .crash(703)], 2),
            ([.refusal(10)], 1), ([.refusal(10), .refusal(20), .refusal(5000)], 1),
            ([.refusal(10), .success(60), .refusal(70)], 2), ([.refusal(10), .crash(60), .refusal(70)], 2),
            // One kind does not keep the other from being told.
            ([.refusal(10), .crash(60), .crash(61), .crash(62)], 2),
            ([.timeout(10), .timeout(400)], 1), ([.timeout(10), .success(60), .timeout(400)], 2),
        ] as [([End], Int)])
    func once(ends: [End], expected: Int) throws {
        #expect(try alerts(after: ends) == expected)
    }

    @Test("stops the socket at each refused start, and at no other end")
    func socket() throws {
        for end in [End.crash(1), .success(2), .timeout(3)] { try pass(end) }
        let stop = "--job-mode=ignore-dependencies stop gatehouse.socket"
        #expect(!asked.contains(stop))
        try pass(.refusal(4))
        #expect(asked.last == stop)
        try pass(.refusal(5))
        #expect(asked.suffix(2) == [stop, stop])
    }

    @Test("takes any other exit status for a crash")
    func otherStatus() throws {
        let ends = (1...3).map { End(second: $0, result: "exit-code", status: "3") }
        #expect(try alerts(after: ends) == 1)
        #expect(asked.count == 1)
    }
}
