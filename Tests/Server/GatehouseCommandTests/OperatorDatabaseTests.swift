import Foundation
import Gatehouse
import GatehouseStore
import SQL
import SQLite
import TestSupport
import Testing

/// The behaviour that all commands of operators share: database and arguments.
@Suite("Every command of operators")
struct OfficeTests {
    static let commands = [
        "users list", "users show user_1", "users disable user_1", "users enable user_1", "users role user_1 ADMIN",
        "users delete --yes user_1", "users sessions user_1", "sessions revoke sess_1", "sessions revoke --user user_1",
        "audit", "audit --user user_1",
    ]

    private let tool: Tool
    private var path: String { tool.folder.file("x.db") }

    init() throws {
        tool = try Tool()
    }

    private func words(_ command: String) -> [String] { command.split(separator: " ").map(String.init) }

    private func expectFailure(_ command: String, path: String? = nil, saying word: String) throws {
        let outcome = try tool.run(words(command), ["DATABASE_URL": "sqlite:" + (path ?? self.path)])
        #expect(outcome.status == 3 && outcome.text.isEmpty, "\(command)")
        #expect(
            outcome.errorOutput.hasPrefix("gatehouse: ") && outcome.errorOutput.contains(word), "\(outcome.errorOutput)"
        )
    }

    @Test("fails without a database, and creates none", arguments: commands)
    func missing(_ command: String) throws {
        try expectFailure(command, saying: "there is no database")
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).isEmpty)
    }

    @Test(
        "fails for a foreign file, and does not change it", arguments: ["users list", commands[2]])
    func foreign(_ command: String) throws {
        let garbage = try tool.file("garbage", String(repeating: "garbage ", count: 2000))
        let other = tool.folder.file("other.db")
        try Connection(path: other, access: .readWrite).execute(script: "CREATE TABLE songs (name TEXT)")
        let folder = tool.folder.file("folder")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (path, word) in [
            (garbage, "not a database"), (other, "not made by this program"), (folder, "unable to open"),
        ] {
            let before = FileManager.default.contents(atPath: path)
            try expectFailure(command, path: path, saying: word)
            #expect(FileManager.default.contents(atPath: path) == before)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).count == 3)
    }

    @Test("fails for an older or newer schema, and does not change it", arguments: ["users list", commands[2]])
    func otherSchema(_ command: String) throws {
        _ = try SQLiteFile(path: path).migrate()
        for (version, word) in [
            (SQLiteMigrator.latest - 1, "run gatehouse migrate"), (SQLiteMigrator.latest + 1, "a newer one"),
        ] {
            try Connection(path: path, access: .readWrite).execute(
                script: "UPDATE gatehouse_schema SET usable_by = \(version); PRAGMA user_version = \(version)")
            try expectFailure(command, saying: word)
            let connection = try Connection(path: path, access: .readOnly)
            #expect(try connection.first("PRAGMA user_version") { Int($0.integer(0)) } == version)
        }
    }

    @Test("fails for a database that the user cannot write", arguments: ["users list", commands[2]])
    func readOnly(_ command: String) throws {
        _ = try SQLiteFile(path: path).migrate()
        chmod(path, 0o400)
        // Root may write any file, unless it drops that capability.
        let powerless = getuid() == 0 ? ["setpriv", "--bounding-set=-dac_override"] : []
        let outcome = try Shell.outcome(
            of: powerless + [Executable.gatehouse] + words(command),
            environment: ["DATABASE_URL": "sqlite:" + path, "PATH": "/usr/bin:/bin"])
        outcome.expect(3, saying: "this user cannot write the database")
    }

    @Test(
        "names the folder or file that the user may not access, instead of a missing database",
        arguments: ["users list", commands[2]])
    func closed(_ command: String) throws {
        let (outer, inner) = (tool.folder.file("outer"), tool.folder.file("outer/inner"))
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
        let file = inner + "/x.db"
        _ = try SQLiteFile(path: file).migrate()
        for place in [tool.folder.path, outer, inner] { chmod(place, 0o755) }
        // Root may enter any folder.
        let asUser = getuid() == 0 ? OwnerFixture.asUser : { $0 }
        for (place, action) in [(file, "read"), (inner, "enter"), (outer, "enter")] {
            chmod(place, 0)
            let outcome = try Shell.outcome(
                of: asUser([Executable.gatehouse] + words(command)),
                environment: ["DATABASE_URL": "sqlite:" + file, "PATH": "/usr/bin:/bin"])
            #expect(outcome.status == 3)
            #expect(outcome.errorOutput.contains(" may not \(action) \(place), "), "\(outcome.errorOutput)")
            #expect(outcome.errorOutput.hasSuffix(" 0000: run it with sudo\n"), "\(outcome.errorOutput)")
        }
        for place in [outer, inner] { chmod(place, 0o700) }
    }

    @Test("cannot change a database that another process has locked, but can read it")
    func locked() throws {
        let registry = try Registry()
        try registry.add("1")
        let other = try Connection(path: registry.tool.folder.file("gatehouse.db"), access: .readWrite)
        try other.execute(script: "BEGIN IMMEDIATE")
        try registry.run("users", "show", "user_1").expect(0)
        try registry.run("users", "disable", "user_1").expect(3, saying: "locked")
        try other.execute(script: "ROLLBACK")
        #expect(try registry.run("users", "disable", "user_1").text == "user_1 is now DISABLED\n")
    }

    @Test(
        "refuses wrong arguments before it opens the database",
        arguments: [
            "users list --status gone", "users list --role boss", "users list --limit 0", "users list --limit many",
            "users list --limit -1", "users list --before ada@example.com", "users list ada", "users show",
            "users show a b", "users disable", "users role user_1", "users role user_1 BOSS",
            "users role user_1 admins", "users delete --no user_1", "users delete user_1", "sessions revoke",
            "sessions revoke --user",
            "sessions revoke sess_1 --user u", "audit --kind nothing", "audit --since yesterday", "audit --since 1w",
            "audit --since -1h", "audit --since 2026-02-30", "audit --since 2026-11-21T10:00:00",
            "audit --since 21.11.2026", "audit --limit x", "audit now", "users list --json=1",
        ])
    func wrongWords(_ command: String) throws {
        let outcome = try tool.run(words(command), ["DATABASE_URL": "sqlite:" + path])
        outcome.expectRefusal(2)
        #expect(!outcome.errorOutput.isEmpty && !outcome.errorOutput.contains("there is no database"))
    }

    @Test(
        "reports an unknown user in one line",
        arguments: commands.filter { $0.contains("user_1") } + ["sessions revoke --user unknown@example.com"])
    func unknownUser(_ command: String) throws {
        let outcome = try Registry().run(words(command))
        outcome.expectRefusal(1)
        #expect(outcome.errorOutput.hasPrefix("gatehouse: no user has the id or address "))
        #expect(outcome.errorOutput.filter { $0 == "\n" }.count == 1)
    }
}
