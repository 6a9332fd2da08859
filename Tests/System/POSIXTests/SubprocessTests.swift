import Glibc
import TestSupport
import Testing

@testable import POSIX
@testable import Processes

@Suite("Subprocess")
struct SubprocessTests {
    private static let shell = ["/nowhere/sh", "/bin/sh"]

    private func run(_ script: String, timeout: Duration = .seconds(20), limit: Int = 1 << 20) throws
        -> Subprocess.Outcome
    {
        let shell = try #require(Subprocess(Self.shell, timeout: timeout, outputLimit: limit))
        return try shell.run(["-c", script])
    }

    @Test(
        "returns the exit status and both output streams",
        arguments: [
            (script: "echo a; echo b >&2", status: 0, output: "a\n", errors: "b\n"),
            (script: "exit 3", status: 3, output: "", errors: ""),
            (script: "kill -KILL $$", status: nil, output: "", errors: ""),
            (script: "read -r line; echo \"<$line>\"", status: 0, output: "<>\n", errors: ""),
            (script: "exec >&- 2>&-; for i in $(seq 9999); do :; done; exit 4", status: 4, output: "", errors: ""),
        ] as [(script: String, status: Int32?, output: String, errors: String)])
    func outcome(script: String, status: Int32?, output: String, errors: String) throws {
        #expect(try run(script) == .init(status: status, output: output, errorOutput: errors))
    }

    @Test("runs in a minimal environment, with no signal blocked or ignored")
    func environment() throws {
        #expect(try run("env | grep -c HOME").output == "0\n")
        // Signals 32 and 33 are reserved by glibc.
        let signals = try run("sed -n 's/Sig\\(Blk\\|Ign\\):[^0-9]*//p' /proc/self/status").output.split(
            separator: "\n")
        #expect(signals.map { UInt64($0, radix: 16).map { $0 & ~0x1_8000_0000 } } == [0, 0])
    }

    @Test("rejects output above the limit")
    func bounds() throws {
        #expect(try run("head -c 300000 /dev/zero").output.utf8.count == 300_000)
        #expect(throws: POSIXError.self) { try run("head -c 300000 /dev/zero", limit: 200_000) }
    }

    @Test("is killed after the timeout", arguments: ["sleep 60", "exec >&- 2>&-; sleep 60", "while :; do :; done"])
    func timeout(script: String) {
        let clock = ContinuousClock()
        let time = clock.measure { #expect(throws: POSIXError.self) { try run(script, timeout: .milliseconds(300)) } }
        #expect(time < .seconds(20))
    }

    @Test("is nil if no path is executable")
    func missing() {
        #expect(Subprocess(["/nowhere/at/all", "/etc/passwd"]) == nil)
    }
}

@Suite("AnsweredSignal")
struct AnsweredSignalTests {
    @Test("fails if the process does not exist")
    func noProcess() throws {
        let gone = try ChildProcess(["/bin/true"], environment: [:], log: "/dev/null")
        _ = gone.wait()
        #expect(throws: POSIXError("signal the process \(gone.identifier)", code: ESRCH)) {
            try AnsweredSignal.ask(gone.identifier, .hangUp, within: .seconds(5))
        }
    }

    @Test("returns nil if no answer comes in time")
    func noAnswer() throws {
        let folder = try TemporaryFolder()
        let process = try ChildProcess(
            ["/bin/sh", "-c", "trap '' HUP; echo ready; sleep 60"], environment: [:], log: folder.file("log"))
        #expect(Eventually.holds { process.log.contains("ready") })
        let start = ContinuousClock.now
        #expect(try AnsweredSignal.ask(process.identifier, .hangUp, within: .milliseconds(300)) == nil)
        #expect(ContinuousClock.now - start >= .milliseconds(300))
    }
}
