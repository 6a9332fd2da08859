import Foundation
import JSON
import TestSupport
import Testing

@Suite("gatehouse check --settings")
struct SettingsCheckTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    private func check(_ changes: [String: String], _ words: String...) throws -> Shell.Outcome {
        try tool.run(["check", "--settings"] + words, tool.settings(changes))
    }

    @Test("exits 0 if serve could start, and opens and creates no file")
    func good() throws {
        let outcome = try check(["DATABASE_URL": "sqlite:/nowhere/at/all.db"])
        #expect(outcome.status == 0 && outcome.errorOutput.isEmpty)
        #expect(outcome.text == "ok     settings  gatehouse serve can start with them: the environment\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).isEmpty)
    }

    @Test("names every fault with advice but without values, and exits 2")
    func bad() throws {
        let faults = ["WORKERS": "Xmany", "LISTEN": "Xhere", "JWT_ACCESS_SECRET": "Xshort"]
        let outcome = try check(faults)
        #expect(outcome.status == 2)
        for name in faults.keys { #expect(outcome.text.contains("FAULT  settings  \(name) "), "\(outcome.text)") }
        #expect(outcome.text.components(separatedBy: "→ change it in the environment").count == 4)
        #expect(!outcome.everything.contains("X"))
        let json = try JSONValue(parsing: try check(faults, "--json").output).object
        #expect(json?["ok"] == false && json?["checks"]?.array?.count == 3)
    }

    @Test("advises sudo if the user may not read the secrets", .enabled(if: getuid() == 0))
    func denied() throws {
        let secrets = try TemporaryFolder()
        chmod(secrets.path, 0o700)
        let outcome = try Shell.outcome(
            of: OwnerFixture.asUser([Executable.gatehouse, "check", "--settings"]),
            environment: tool.settings(["PATH": "/usr/bin:/bin", "CREDENTIALS_DIRECTORY": secrets.path]))
        #expect(outcome.status == 2)
        #expect(outcome.text.contains("CREDENTIALS_DIRECTORY is closed to this user"), "\(outcome.everything)")
        #expect(outcome.text.contains("→ sudo gatehouse check --settings"))
    }
}
