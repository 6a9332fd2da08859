import Foundation
import JOSE
import TestSupport
import Testing

@testable import ServerSupport

/// Pastes the commands of the pages about PostgreSQL into a shell on a server in a temporary folder.
@Suite("Commands of the documentation on a PostgreSQL server", .needs(.time))
struct PostgreSQLPagesTests {
    private static let page = DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/PostgreSQL.md")
    private static let backups = DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/Backups.md")

    /// Runs a block, with the texts that are different here replaced. The shell stops at the first command that fails.
    private func paste(
        _ block: String, on server: TemporaryPostgreSQL? = nil, asServer: Bool = false,
        replacing texts: [String: String] = [:], _ environment: [String: String] = [:],
        place: SourceLocation = #_sourceLocation
    ) throws {
        var script = block
        for (old, new) in texts {
            #expect(block.contains(old), "\(old) in\n\(block)", sourceLocation: place)
            script = script.replacing(old, with: new)
        }
        let folders = [TemporaryPostgreSQL.program(""), (Executable.gatehouse as NSString).deletingLastPathComponent]
        var variables = ["PATH": (folders + ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]).joined(separator: ":")]
        if let server {
            variables.merge(["PGHOST": server.folder, "PGPORT": server.port, "PGUSER": "postgres"]) { $1 }
        }
        let shell = ["/usr/bin/env", "-C", "/", "bash", "-e", "-o", "pipefail", "-s"]
        let outcome = try Shell.outcome(
            of: asServer ? TemporaryPostgreSQL.asServer(shell) : shell,
            environment: variables.merging(environment) { $1 }, input: Array((script + "\n").utf8))
        #expect(outcome.status == 0, "\(script)\n\(outcome.text)\(outcome.errorOutput)", sourceLocation: place)
    }

    /// The documented hosts of the database, and this server.
    private func hosts(_ server: TemporaryPostgreSQL) -> [String: String] {
        [
            "@db1,db2/gatehouse?sslrootcert=/etc/gatehouse/db-ca.pem":
                "@/gatehouse?host=\(server.folder)&port=\(server.port)"
        ]
    }

    @Test("A database is installed for a user who may not change its schema, and an existing one is moved to it")
    func installedAndMoved() throws {
        let folder = try TemporaryFolder()
        let before = try ServerProcess { $0["DATABASE_URL"] = "sqlite:" + folder.file("gatehouse.db") }
        let moved = try before.devLogin("moved@example.com")
        before.process.signal(SIGTERM)
        #expect(before.process.wait() == 0)

        let server = try TemporaryPostgreSQL()
        let blocks = try Self.page.blocks(of: "Installing")
        try paste(blocks[0], on: server, asServer: true)
        try paste(blocks[1], on: server, asServer: false, replacing: hosts(server))
        let moves = try Self.page.blocks(of: "Moving an existing database")
        try paste(
            "systemctl() { :; }\n" + moves[0], on: server, asServer: false, replacing: hosts(server),
            ["DATABASE_URL": before.databaseURL])

        let url = server.url(of: "gatehouse", user: "gatehouse")
        let node = try ServerProcess { $0["DATABASE_URL"] = url }
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

        node.process.signal(SIGTERM)
        #expect(node.process.wait() == 0)
        var texts = hosts(server)
        texts["/var/lib/gatehouse/back.db"] = folder.file("back.db")
        try paste(moves[1], replacing: texts)
        let back = try ServerProcess { $0["DATABASE_URL"] = "sqlite:" + folder.file("back.db") }
        #expect(try back.devLogin("moved@example.com").status == 200)
    }

    /// A node with a folder of secrets of its own.
    private struct KeyedNode {
        let node: ServerProcess
        let folder: TemporaryFolder
        var secrets: String { folder.file("credentials") }
        var next: String { folder.file("next") }

        func restart() throws {
            node.process.signal(SIGTERM)
            #expect(node.process.wait() == 0)
            try node.restart { $0["CREDENTIALS_DIRECTORY"] = secrets }
        }
    }

    /// Two nodes on one database, with the same secrets in two folders.
    private func keyedNodes() throws -> [KeyedNode] {
        let folders = [try TemporaryFolder(), try TemporaryFolder()]
        let secrets = [
            "jwt_access_secret": TestSettings.accessSecret, "jwt_refresh_secret": TestSettings.refreshSecret,
            "jwt_refresh_secret_previous": "an older refresh secret of more than thirty-two bytes",
        ]
        for folder in folders {
            let path = folder.file("credentials")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for (name, secret) in secrets {
                try (secret + "\n").write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
            }
        }
        let nodes = try TwoNodes {
            $0["CREDENTIALS_DIRECTORY"] = folders[0].file("credentials")
            for name in secrets.keys { $0[name.uppercased()] = nil }
        }
        let keyed = [
            KeyedNode(node: nodes.first, folder: folders[0]), KeyedNode(node: nodes.second, folder: folders[1]),
        ]
        try keyed[1].restart()
        return keyed
    }

    /// What one node signs, the other one accepts and refreshes, and the first one repeats the refresh.
    private func expectAgreement(
        _ nodes: [KeyedNode], on token: inout String, place: SourceLocation = #_sourceLocation
    ) throws {
        for (one, other) in [(nodes[0].node, nodes[1].node), (nodes[1].node, nodes[0].node)] {
            let pair = try one.refresh(token)
            #expect(pair.status == 200, sourceLocation: place)
            #expect(try other.verify(pair.accessToken).status == 204, sourceLocation: place)
            #expect(try other.refresh(token).refreshToken == pair.refreshToken, sourceLocation: place)
            let next = try other.refresh(pair.refreshToken)
            #expect(next.status == 200, sourceLocation: place)
            #expect(try one.verify(next.accessToken).status == 204, sourceLocation: place)
            #expect(try one.refresh(pair.refreshToken).refreshToken == next.refreshToken, sourceLocation: place)
            token = next.refreshToken
        }
    }

    @Test(
        "Keys are rotated node by node, and in every phase each node accepts what the other one signs",
        arguments: ["jwt_refresh_secret", "jwt_access_secret"])
    func rotatedKeys(_ key: String) throws {
        let nodes = try keyedNodes()
        var token = try nodes[0].node.devLogin("rotated@example.com").refreshToken
        try expectAgreement(nodes, on: &token)
        let blocks = try Self.page.blocks(of: "Rotating keys")
        func perform(_ step: Int, on node: KeyedNode) throws {
            let texts = ["/etc/gatehouse/credentials": node.secrets, "/root/next": node.next]
            let used = texts.filter { blocks[step].contains($0.key) }
            try paste(
                "systemctl() { :; }\n" + blocks[step],
                replacing: used.merging(["jwt_refresh_secret": key]) { $1 })
        }
        try perform(0, on: nodes[0])
        try FileManager.default.copyItem(atPath: nodes[0].next, toPath: nodes[1].next)
        for step in [1, 2] {
            for node in nodes {
                try perform(step, on: node)
                try node.restart()
                try expectAgreement(nodes, on: &token)
            }
        }
        for name in [key, key + "_previous"] {
            let contents = try nodes.map { try String(contentsOfFile: $0.secrets + "/" + name, encoding: .utf8) }
            #expect(contents[0] == contents[1])
            let modes = try nodes.map {
                try FileManager.default.attributesOfItem(atPath: $0.secrets + "/" + name)[.posixPermissions] as? Int
            }
            #expect(modes == [0o600, 0o600])
        }
        let identifiers = try nodes.map { try CompactJWS($0.node.refresh(token).accessToken).keyID }
        #expect(identifiers[0] != nil && identifiers[0] == identifiers[1])
        for node in nodes { #expect(!node.node.process.log.contains("identity_hashes")) }
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
        let (parent, documented) = (try TemporaryFolder(), "/var/backups/postgresql")
        let folder = parent.file("postgresql")
        // A user other than root cannot give a folder away, and runs the server itself.
        let owner = getuid() == 0 ? [:] : [" -o postgres -g postgres": ""]
        try paste(
            try Self.backups.blocks(of: "PostgreSQL")[0],
            replacing: owner.merging([documented: folder]) { $1 })
        let archive = settings(
            in: try Self.backups.blocks(of: "PostgreSQL", "ini")[0], replacing: documented, with: folder)
        #expect(archive["archive_mode"] == "on")
        let server = try TemporaryPostgreSQL(settings: archive)
        let programs = ["/usr/lib/postgresql/15/bin/": TemporaryPostgreSQL.program(""), documented: folder]
        let backup = try Self.backups.blocks(of: "A base backup")[0]
        let url = try server.database()
        let node = try ServerProcess { $0["DATABASE_URL"] = url }
        let early = try node.devLogin("early@example.com")
        try paste(backup, on: server, asServer: true, replacing: programs)
        let base = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("base-") })
        try expectRepeatableArchiving(on: server, folder)
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
                documented: folder, "base-20261121T030000Z": base, "/var/lib/postgresql/15/main": server.data,
                "2026-11-21 20:15:00+00": moment,
            ])
        let restored = try TemporaryPostgreSQL(data: server.data, settings: archive)
        #expect(Eventually.holds(within: 60) { (try? restored.execute("SELECT pg_is_in_recovery()")) == "f" })
        let name = String(url.split(separator: "?")[0].split(separator: "/").last ?? "")
        let second = try ServerProcess { $0["DATABASE_URL"] = restored.url(of: name) }
        for login in [early, ended] { #expect(try second.refresh(login.refreshToken).status == 200) }
        #expect(try second.refresh(late.refreshToken).status == 401)
        #expect(try second.runCommand("users", "list").contains("late@example.com") == false)
        try paste(backup, on: restored, asServer: true, replacing: programs)
        #expect(try restored.execute("SELECT timeline_id FROM pg_control_checkpoint()") == "2")
        withExtendedLifetime(server) {}
    }

    /// A file that is in the archive already, since the server crashed before it noted that, does not stop the archive. One
    /// with other content does, and stays.
    private func expectRepeatableArchiving(on server: TemporaryPostgreSQL, _ folder: String) throws {
        // A restore point, since an empty file is not ended.
        func next() throws -> String {
            try server.execute("SELECT pg_create_restore_point('next')")
            return try server.execute("SELECT pg_walfile_name(pg_switch_wal())")
        }
        func isArchived(_ name: String) -> Bool {
            (try? server.execute("SELECT last_archived_wal >= '\(name)' FROM pg_stat_archiver")) == "t"
        }
        let name = try next()
        #expect(Eventually.holds(within: 60) { isArchived(name) })
        let (states, path) = (server.data + "/pg_wal/archive_status/", folder + "/wal/" + name)
        let content = FileManager.default.contents(atPath: path)
        #expect(content != nil)
        for (extra, isAccepted) in [(Data(), true), (Data([1]), false)] {
            try #require(content.map { $0 + extra }).write(to: URL(fileURLWithPath: path))
            let failures = try server.execute("SELECT failed_count FROM pg_stat_archiver")
            try FileManager.default.moveItem(atPath: states + name + ".done", toPath: states + name + ".ready")
            let later = try next()
            #expect(
                Eventually.holds(within: 60) {
                    isAccepted
                        ? isArchived(later)
                        : (try? server.execute("SELECT failed_count FROM pg_stat_archiver")) != failures
                })
            #expect(FileManager.default.contents(atPath: path) == content.map { $0 + extra })
        }
        try #require(content).write(to: URL(fileURLWithPath: path))
        TemporaryPostgreSQL.giveToServer(path)
    }
}
