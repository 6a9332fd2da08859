import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// A restore of a backup that is older than the tokens of the clients.
@Suite("Restore from a backup")
struct RestoreTests {
    private let server: ServerProcess
    private var backup: String { server.folder.file("backup.db") }

    init() throws {
        server = try ServerProcess()
    }

    private func restore(_ options: String...) throws {
        server.process.signal(15)
        #expect(server.process.wait() == 0)
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "restore"] + options + [backup],
            environment: ["DATABASE_URL": "sqlite:" + server.database])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        try server.restart()
    }

    @Test("Clients go on unless they refreshed after the backup; these log in again, and are not treated as thieves")
    func clients() throws {
        let first = try server.devLogin("refreshed-since@example.com")
        let kept = try server.devLogin("not-refreshed@example.com")
        let before = try server.devLogin("lost-response@example.com")
        let lost = try server.refresh(before.refreshToken)
        let ended = try server.devLogin("logged-out@example.com")
        try server.runCommand("backup", backup)
        let second = try server.refresh(first.refreshToken)
        let third = try server.refresh(second.refreshToken)
        #expect(try server.send(.post("/api/auth/logout", bearer: ended.accessToken)).status == 204)
        let new = try server.devLogin("new@example.com")
        try restore()

        for token in [third.refreshToken, second.refreshToken, third.refreshToken, new.refreshToken] {
            let response = try server.refresh(token)
            #expect(response.status == 401 && response.code == "invalid_refresh_token")
        }
        #expect(try server.devLogin("refreshed-since@example.com").json["isNewUser"] == false)
        #expect(try server.me(kept.accessToken).status == 200)
        let next = try server.refresh(kept.refreshToken)
        #expect(next.status == 200)
        #expect(try server.refresh(next.refreshToken).status == 200)
        #expect(try server.refresh(before.refreshToken).refreshToken == lost.refreshToken)
        #expect(try server.me(new.accessToken).status == 401)
        #expect(try server.devLogin("new@example.com").json["isNewUser"] == true)
        let kinds = try server.auditTrail().compactMap { $0["kind"]?.string }
        #expect(!kinds.contains("refresh_token_reused") && kinds.contains("database_restored"))

        #expect(try server.me(ended.accessToken).status == 200, "ended after the backup")
        try restore("--end-sessions")
        #expect(try server.me(ended.accessToken).code == "session_revoked")
        #expect(try server.refresh(ended.refreshToken).code == "refresh_token_revoked")
    }
}

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

    /// What the newer program has done to the schema, and whether the older one refuses it.
    private static let schemas: [(changes: String, isRefused: Bool)] = [
        ("", false),
        ("ALTER TABLE users ADD COLUMN shoe_size INTEGER; PRAGMA user_version = 1000", false),
        ("UPDATE gatehouse_schema SET usable_by = 1000; PRAGMA user_version = 1000", true),
    ]

    @Test("It restores the backup only if the older program cannot use the schema", arguments: schemas)
    func restores(changes: String, isRefused: Bool) throws {
        let server = try ServerProcess()
        let backup = server.folder.file("before.db")
        let before = try server.devLogin("before@example.com")
        try server.runCommand("backup", backup)
        let since = try server.devLogin("since@example.com")
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
        try server.testDatabase.execute(changes)
        let outcome = try downgrade(server, backup: backup)
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errorOutput)")
        #expect(outcome.text.contains("FAULT  schema") == isRefused)
        #expect(outcome.text.contains("restored") == isRefused, "\(outcome.text)")
        try server.restart()
        #expect(try server.refresh(before.refreshToken).status == 200)
        #expect(try server.refresh(since.refreshToken).status == (isRefused ? 401 : 200))
    }
}
