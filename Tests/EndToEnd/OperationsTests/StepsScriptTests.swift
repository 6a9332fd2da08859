import Foundation
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Steps of a script")
struct StepsScriptTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var log: String { folder.file("log") }

    private func script(_ lines: String) throws -> String {
        let path = folder.file("script")
        let text = "set -euo pipefail\nsource '\(Executable.root)/deploy/lib/steps'\nlog='\(log)'\n" + lines
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test("Without a terminal, each step is one line and its output goes to the log")
    func pipe() throws {
        let path = try script(
            """
            run_step build "$log" echo compiled
            run_step tests "$log.2" sh -c 'echo broken; exit 7' || echo "status $?"
            """)
        let outcome = try Shell.outcome(of: ["bash", path])
        #expect(outcome.status == 0)
        #expect(outcome.text == "status 7\n")
        #expect(outcome.errorOutput.contains(/^build: \d+ s\ntests: failed after \d+ s\n$/), "\(outcome.errorOutput)")
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "compiled\n")
        #expect(try String(contentsOfFile: log + ".2", encoding: .utf8) == "broken\n")
    }

    /// The command ends when the terminal has shown its line.
    @Test("On a terminal, a step shows the last line of its log")
    func terminal() throws {
        let shown = folder.file("shown")
        let path = try script(
            """
            compile() {
                # The file of the terminal may not exist yet; a message of grep would be the last line.
                echo "[1/2] Compiling"
                for attempt in {1..600}; do
                    if grep -qs Compiling '\(shown)'; then return; fi
                    sleep 0.1
                done
                return 1
            }
            run_step build "$log" compile
            """)
        let outcome = try Shell.outcome(
            of: ["script", "-qefc", "bash '\(path)'", shown],
            environment: ["TERM": "xterm", "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"])
        let text = try String(contentsOfFile: shown, encoding: .utf8)
        #expect(outcome.status == 0, "\(text)")
        #expect(text.contains(/\r\u{1B}\[Kbuild: \d+ s  \[1\/2\] Compiling/), "\(text)")
        #expect(text.contains(/\r\u{1B}\[Kbuild: \d+ s\r\n/), "\(text)")
    }
}
