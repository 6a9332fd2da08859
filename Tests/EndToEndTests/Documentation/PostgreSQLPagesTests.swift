import Foundation
import TestSupport
import Testing

/// Pastes the commands of the pages about PostgreSQL into a shell on a server in a temporary folder.
@Suite("Commands of the documentation on a PostgreSQL server")
struct PostgreSQLPagesTests {
    private static let page = DocumentationPage(path: "Sources/Gatehouse/Gatehouse.docc/PostgreSQL.md")
    private static let backups = DocumentationPage(path: "Sources/Gatehouse/Gatehouse.docc/Backups.md")

    /// Runs a block, with the texts that are different here replaced. The shell stops at the first command that fails.
    private func paste(
        _ block: String, on server: TemporaryPostgreSQL, asServer: Bool, replacing texts: [String: String] = [:],
        _ environment: [String: String] = [:], place: SourceLocation = #_sourceLocation
    ) throws {
        var script = block
        for (old, new) in texts {
            #expect(block.contains(old), "\(old) in\n\(block)", sourceLocation: place)
            script = script.replacing(old, with: new)
        }
        let folders = [TemporaryPostgreSQL.program(""), (Executable.gatehouse as NSString).deletingLastPathComponent]
        let variables = [
            "PATH": (folders + ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]).joined(separator: ":"),
            "PGHOST": server.folder, "PGPORT": server.port, "PGUSER": "postgres",
        ]
        let shell = ["/usr/bin/env", "-C", "/", "bash", "-e", "-o", "pipefail", "-s"]
        let outcome = try Shell.outcome(
            of: asServer ? TemporaryPostgreSQL.asServer(shell) : shell,
            environment: variables.merging(environment) { $1 }, input: Array((script + "\n").utf8))
        #expect(outcome.status == 0, "\(script)\n\(outcome.text)\(outcome.errorOutput)", sourceLocation: place)
    }

    /// The documented hosts of the database, and this server.
    private func hosts(_ server: TemporaryPostgreSQL) -> [String: String] {
        ["@db1,db2/gatehouse": "@/gatehouse?host=\(server.folder)&port=\(server.port)"]
    }

    @Test("A database is installed for a user who may not change its schema, and an existing one is moved to it")
    func installedAndMoved() throws {
        let folder = try TemporaryFolder()
        let before = try FastCGIInstallation { $0["DATABASE_URL"] = "sqlite:" + folder.file("gatehouse.db") }
        let moved = try before.devLogin("moved@example.com")
        before.process.signal(SIGTERM)
        #expect(before.process.wait() == 0)

        let server = try TemporaryPostgreSQL()
        let blocks = try Self.page.blocks(of: "Installing")
        try paste(blocks[0], on: server, asServer: true)
        try paste(blocks[1], on: server, asServer: false, replacing: hosts(server))
        let move = try Self.page.blocks(of: "Moving an existing database")[0]
        try paste(
            "systemctl() { :; }\n" + move, on: server, asServer: false, replacing: hosts(server),
            ["DATABASE_URL": before.databaseURL])

        let url = server.url(of: "gatehouse", user: "gatehouse")
        let node = try FastCGIInstallation { $0["DATABASE_URL"] = url }
        let next = try node.refresh(moved.refreshToken)
        #expect(next.status == 200)
        #expect(try node.send(.post("/api/auth/logout", bearer: next.accessToken)).status == 204)
        #expect(try node.verify(next.accessToken).code == "session_revoked")
        #expect(try node.runCommand("users", "list").contains("moved@example.com"))
        for change in ["CREATE TABLE x ()", "DROP TABLE documents", "ALTER TABLE users ADD x INT"] {
            #expect(throws: Shell.Failure.self, "\(change)") { try server.execute(change, in: url) }
        }
        let check = try Shell.outcome(
            of: [Executable.gatehouse, "check", "--offline"], environment: ["DATABASE_URL": url])
        #expect(check.text.contains(/ok     privileges +gatehouse may read and write .*, and may not migrate/))
        let metrics = String(decoding: try node.send(.get("/metrics")).body, as: UTF8.self)
        #expect(metrics.contains(#"gatehouse_postgresql_standbys{kind="synchronous"} 0"#), "pg_monitor")
    }

    /// The settings that a page shows in the form of a configuration file.
    private func settings(in block: String, replacing old: String, with new: String) -> [String: String] {
        let pairs = block.split(separator: "\n").map { $0.split(separator: " = ", maxSplits: 1).map(String.init) }
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) }).mapValues {
            $0.trimmingCharacters(in: ["'"]).replacing(old, with: new)
        }
    }

    @Test("A base backup and the archive restore every moment, with the sessions of that moment")
    func pointInTime() throws {
        let (folder, documented) = (try TemporaryFolder(), "/var/backups/postgresql")
        for path in [folder.path, folder.file("wal")] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            TemporaryPostgreSQL.giveToServer(path)
        }
        let archive = settings(
            in: try Self.backups.blocks(of: "PostgreSQL", "ini")[0], replacing: documented, with: folder.path)
        #expect(archive["archive_mode"] == "on")
        let server = try TemporaryPostgreSQL(settings: archive)
        let programs = ["/usr/lib/postgresql/15/bin/": TemporaryPostgreSQL.program(""), documented: folder.path]
        let backup = try Self.backups.blocks(of: "A base backup")[0]
        let url = try server.database()
        let node = try FastCGIInstallation { $0["DATABASE_URL"] = url }
        let early = try node.devLogin("early@example.com")
        try paste(backup, on: server, asServer: true, replacing: programs)
        let ended = try node.devLogin("ended@example.com")
        let moment = try server.execute("SELECT clock_timestamp() AT TIME ZONE 'UTC' || '+00'")
        #expect(try node.send(.post("/api/auth/logout", bearer: ended.accessToken)).status == 204)
        let late = try node.devLogin("late@example.com")
        node.process.signal(SIGTERM)
        #expect(node.process.wait() == 0)
        try server.stop()

        try paste(
            try Self.backups.blocks(of: "Restoring to a point in time")[0], on: server, asServer: true,
            replacing: [
                documented: folder.path, "/var/lib/postgresql/15/main": server.data, "2026-11-21 20:15:00+00": moment,
            ])
        let restored = try TemporaryPostgreSQL(data: server.data, settings: archive)
        #expect(Eventually.holds(within: 60) { (try? restored.execute("SELECT pg_is_in_recovery()")) == "f" })
        let name = String(url.split(separator: "?")[0].split(separator: "/").last ?? "")
        let second = try FastCGIInstallation { $0["DATABASE_URL"] = restored.url(of: name) }
        for login in [early, ended] { #expect(try second.refresh(login.refreshToken).status == 200) }
        #expect(try second.refresh(late.refreshToken).status == 401)
        #expect(try second.runCommand("users", "list").contains("late@example.com") == false)
        try paste(backup, on: restored, asServer: true, replacing: programs)
        #expect(try restored.execute("SELECT timeline_id FROM pg_control_checkpoint()") == "2")
        withExtendedLifetime(server) {}
    }
}
