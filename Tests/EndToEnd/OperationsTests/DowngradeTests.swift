import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// The commands of Operations.md that return to an older program.
@Suite("The downgrade of the page", .enabled(if: !TestDatabase.isOnServer, "about a file"))
struct DowngradeTests {
    /// The commands after the upgrade. The program of this build is the older one, since the package manager is replaced.
    private func downgrade(_ server: ServerProcess, backup: String) throws -> Shell.Outcome {
        let blocks = try DocumentationPage.operations.blocks.filter { $0.section == "Upgrading" }
        let block = try #require(blocks.first { $0.text.contains("--allow-downgrades") })
        let commands = block.text.replacingOccurrences(
            of: "/var/lib/gatehouse/before-upgrade-from-0.1.0-1.db", with: backup)
        let script = """
            apt() { :; }; systemctl() { :; }
            gatehouse() { \(Executable.gatehouse) "$@"; }
            \(commands)
            """
        return try Shell.outcome(
            of: ["/bin/bash", "-uc", script],
            environment: ["DATABASE_URL": server.databaseURL, "PATH": "/usr/bin:/bin"])
    }

    @Test("It restores the backup only if the older program refuses the schema", arguments: [false, true])
    func restores(isNewer: Bool) throws {
        let server = try ServerProcess()
        let backup = server.folder.file("before.db")
        let before = try server.devLogin("before@example.com")
        try server.runCommand("backup", backup)
        let since = try server.devLogin("since@example.com")
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
        if isNewer { try server.testDatabase.execute("PRAGMA user_version = 1000") }
        let outcome = try downgrade(server, backup: backup)
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errorOutput)")
        #expect(outcome.text.contains("FAULT  schema") == isNewer)
        #expect(outcome.text.contains("restored") == isNewer, "\(outcome.text)")
        try server.restart()
        #expect(try server.refresh(before.refreshToken).status == 200)
        #expect(try server.refresh(since.refreshToken).status == (isNewer ? 401 : 200))
    }
}
