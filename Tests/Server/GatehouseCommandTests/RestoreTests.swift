import Foundation
import Gatehouse
import GatehouseStore
import JSON
import SQL
import SQLite
import StoreSupport
import TestSupport
import Testing

@Suite("gatehouse restore")
struct RestoreTests {
    private let fixture: BackupFixture

    init() throws {
        fixture = try BackupFixture()
    }

    @Test("replaces the database, keeps the old one and prints its path, and records an audit event")
    func restore() throws {
        let backup = try fixture.backUp()
        try fixture.add(["carol"])
        chmod(fixture.database, 0o640)
        let outcome = try fixture.run("restore", backup)
        outcome.expect(0)
        #expect(try fixture.users() == ["ann", "bob"])
        let kept = try #require(try fixture.kept().first)
        #expect(outcome.text.contains("kept      \(kept)\n"))
        #expect(outcome.text.contains("note: 1 users were created since, and are lost\n"))
        #expect(try BackupFixture.users(in: kept) == ["ann", "bob", "carol"])
        #expect(try fixture.names() == ["gatehouse.db", URL(fileURLWithPath: kept).lastPathComponent])
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.database)[.posixPermissions]
        #expect(mode as? Int == 0o640)
        let trail = try fixture.run("audit", "--kind", "database_restored")
        #expect(trail.text.contains("operator") && trail.text.contains("2025-10-09T08:53:20.000Z"))
    }

    @Test("creates a database if there is none")
    func fresh() throws {
        let backup = try fixture.backUp()
        try FileManager.default.removeItem(atPath: fixture.database)
        let json = try JSONValue(parsing: try fixture.run("restore", "--json", backup).output).object
        #expect(json?["kept"] == .null && json?["users"] == 2 && json?["since"] == .null)
        #expect(try fixture.names() == ["gatehouse.db"])
        #expect(try fixture.users() == ["ann", "bob"])
    }

    @Test("keeps changes that were only in the log of a killed server")
    func killedServer() throws {
        let backup = try fixture.backUp()
        // A log that was not checkpointed, as beside the database of a running writer.
        let writer = try SQLiteStore(path: fixture.database)
        try fixture.add(["carol"])
        let (copy, log) = (fixture.file("copy.db"), fixture.file("copy.db-wal"))
        try FileManager.default.copyItem(atPath: fixture.database, toPath: copy)
        try FileManager.default.copyItem(atPath: fixture.database + "-wal", toPath: log)
        withExtendedLifetime(writer) {}
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "restore", backup], environment: ["DATABASE_URL": "sqlite:" + copy])
        outcome.expect(0)
        #expect(try BackupFixture.users(in: copy) == ["ann", "bob"])
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.tool.folder.path)
        let kept = try #require(names.first { $0.hasPrefix("copy.db-before-") })
        #expect(try BackupFixture.users(in: fixture.file(kept)) == ["ann", "bob", "carol"])
        #expect(!FileManager.default.fileExists(atPath: log))
    }

    @Test("refuses a damaged, foreign, newer, empty or incomplete file, and changes nothing")
    func refusals() throws {
        let fixture = try BackupFixture(users: (0..<60).map { "user\($0)" })
        let good = try fixture.backUp()
        let cases: [(name: String, spoil: (String) throws -> Void, message: String)] = [
            ("cut", { #expect(truncate($0, 20_000) == 0) }, "damaged"),
            ("overwritten", { try BackupFixture.damage($0, at: 8192, count: 12_288) }, "damaged"),
            ("garbage", { try BackupFixture.damage($0, at: 0) }, "not a database"),
            ("text", { try Data("-- SQL".utf8).write(to: URL(fileURLWithPath: $0)) }, "not a database"),
            ("empty", { try Data().write(to: URL(fileURLWithPath: $0)) }, "empty"),
            ("foreign", { try change($0, "PRAGMA user_version = 0") }, "not made by this program"),
            ("newer", { try change($0, Self.newer) }, "run a newer one"),
            ("dangling", { try change($0, "DELETE FROM users") }, "refers to a row that does not exist"),
            ("unreadable", { try change($0, "PRAGMA writable_schema = 1; DROP TABLE refresh_tokens") }, "damaged"),
            ("log", { try Data("x".utf8).write(to: URL(fileURLWithPath: $0 + "-wal")) }, "make a backup of it"),
        ]
        let before = FileManager.default.contents(atPath: fixture.database)
        for (name, spoil, message) in cases {
            let path = fixture.file(name + ".db")
            try FileManager.default.copyItem(atPath: good, toPath: path)
            try spoil(path)
            let outcome = try fixture.run("restore", path)
            #expect(outcome.status == 1 && outcome.text.isEmpty, "\(name): \(outcome.errorOutput)")
            #expect(outcome.errorOutput.hasPrefix("gatehouse: nothing was restored: "))
            #expect(outcome.errorOutput.contains(message), "\(name): \(outcome.errorOutput)")
            #expect(try fixture.names() == ["gatehouse.db"], "\(name)")
            #expect(FileManager.default.contents(atPath: fixture.database) == before, "\(name)")
        }
        #expect(try fixture.run("restore", fixture.database).errorOutput.contains("is the database itself"))
        try fixture.run("restore", fixture.home).expect(1)
        try fixture.run("restore", fixture.file("nowhere.db")).expect(3)
    }

    private static let newer = "UPDATE gatehouse_schema SET usable_by = 99; PRAGMA user_version = 99"

    private func change(_ path: String, _ sql: String) throws {
        try Connection(path: path, access: .readWrite).execute(script: sql)
    }

    @Test("a failure after an interruption leaves the database closed, and says to run it again")
    func secondAttempt() throws {
        let backup = try fixture.backUp()
        // Killed after the old database was renamed, and before its log was.
        let kept = fixture.database + "-before-2026-01-01T000000Z"
        try FileManager.default.linkItem(atPath: fixture.database, toPath: kept)
        try FileManager.default.copyItem(atPath: backup, toPath: fixture.database + "-restored")
        try Data("a log".utf8).write(to: URL(fileURLWithPath: fixture.database + "-wal"))
        // The new name of the log is taken meanwhile.
        try FileManager.default.createSymbolicLink(atPath: kept + "-wal", withDestinationPath: "/nowhere/at/all")
        try fixture.run("restore", backup).expect(3, saying: "run this command again")
        #expect(try fixture.run("users", "list").errorOutput.contains("run gatehouse restore again"))
        let check = try fixture.run("check", "--offline")
        #expect(check.text.contains(/FAULT +database +a restore was interrupted/), "\(check.text)")
        try FileManager.default.removeItem(atPath: kept + "-wal")
        try fixture.run("restore", backup).expect(0)
        #expect(try fixture.users() == ["ann", "bob"])
    }

    @Test("says that users were disabled or deleted since only if they were")
    func revivedUsers() throws {
        let backup = try fixture.backUp()
        let note = "users were disabled or deleted since"
        try change(fixture.database, "DELETE FROM refresh_tokens; DELETE FROM users")
        #expect(!(try fixture.run("restore", backup).text.contains(note)), "another database, without these users")
        try change(fixture.database, "UPDATE users SET status = 'DISABLED' WHERE id = 'user_ann'")
        #expect(try fixture.run("restore", backup).text.contains("note: 1 " + note))
    }

    @Test("refuses while a server runs, but not after it was killed")
    func runningServer() throws {
        let backup = try fixture.backUp()
        let settings = fixture.tool.settings(["DATABASE_URL": "sqlite:" + fixture.database])
        let server = try fixture.tool.start(["serve"], settings)
        #expect(Eventually.holds { server.log.contains(#""event":"listening""#) })
        try fixture.run("restore", backup).expect(1, saying: "a server or a command")
        server.signal(SIGKILL)
        #expect(server.wait() == 128 + SIGKILL)
        try fixture.run("restore", backup).expect(0)
    }

    @Test("refuses while a program without the lock has the database open")
    func otherProgram() throws {
        let backup = try fixture.backUp()
        let other = try Connection(path: fixture.database, access: .readWrite)
        _ = try other.first("SELECT count(*) FROM users") { $0.integer(0) }
        try fixture.run("restore", backup).expect(1, saying: "another program")
        #expect(try fixture.names().filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == ["gatehouse.db"])
    }

    @Test("servers and commands that start meanwhile wait")
    func startingServer() throws {
        let lock = open(fixture.database + "-lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        try fixture.run("users", "list").expect(3, saying: "is being restored or moved")
        let settings = fixture.tool.settings(["DATABASE_URL": "sqlite:" + fixture.database])
        let server = try fixture.tool.start(["serve"], settings)
        #expect(!Eventually.holds(within: 1) { server.log.contains("listening") || server.exitStatus != nil })
        #expect(flock(lock, LOCK_UN) == 0 && Eventually.holds { server.log.contains(#""event":"listening""#) })
    }

    @Test("updates an older backup to the current schema")
    func older() throws {
        try OldSchema.make(at: fixture.file("old.db"))
        try fixture.run("restore", fixture.file("old.db")).expect(0, printing: "applied   apple")
        #expect(try fixture.users() == ["old"])
        try fixture.run("users", "list").expect(0)
    }

    @Test("reports reactivated sessions and users, and --end-sessions ends every session")
    func gap() throws {
        let fixture = try BackupFixture(users: ["ann", "bob", "carol", "dora"])
        let backup = try fixture.backUp()
        for words in [["sessions", "revoke", "sess_ann"], ["users", "disable", "user_bob"]] {
            try fixture.tool.run(words, fixture.environment).expect(0)
        }
        do {
            let store = try SQLiteStore(path: fixture.database)
            let token = SessionToken(
                generation: 2, random: [2], issuedAt: Registry.noon, expiresAt: Registry.farFuture, hash: [2])
            #expect(try store.advance(SessionID("sess_carol"), to: token, now: Registry.noon))
        }
        let told = try fixture.run("restore", backup)
        #expect(told.text.contains("note: 2 sessions had ended since, and are active again"))
        #expect(told.text.contains("note: 1 sessions were refreshed since"))
        #expect(told.text.contains("note: 1 users were disabled or deleted since"))
        #expect(try fixture.run("users", "sessions", "user_ann").text.contains("sess_ann"))

        let ended = try fixture.run("restore", "--end-sessions", backup)
        #expect(ended.text.contains("\nended     4\n"))
        for name in ["ann", "bob", "carol", "dora"] {
            #expect(try !fixture.run("users", "sessions", "user_" + name).text.contains("sess_"))
        }
        #expect(try fixture.run("audit", "--kind", "sessions_revoked").text.contains("×4"))
    }

    @Test("follows a link to the database")
    func link() throws {
        let backup = try fixture.backUp()
        try fixture.add(["carol"])
        let link = fixture.file("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.database)
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "restore", backup], environment: ["DATABASE_URL": "sqlite:" + link])
        #expect(outcome.status == 0)
        #expect(try fixture.users() == ["ann", "bob"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == fixture.database)
    }

    @Test("loses nothing on a full disk", .enabled(if: SmallDisk.isPossible))
    func fullDisk() throws {
        let disk = try SmallDisk(kibibytes: 900)
        let database = disk.path + "/g.db"
        try BackupFixture.add(["ann"], to: database)
        let crowded = try BackupFixture(users: (0..<1500).map { "user\($0)" })
        let big = try crowded.backUp()
        let before = FileManager.default.contents(atPath: database)
        let environment = ["DATABASE_URL": "sqlite:" + database]
        let outcome = try Shell.outcome(of: [Executable.gatehouse, "restore", big], environment: environment)
        outcome.expect(3, saying: "No space left")
        #expect(FileManager.default.contents(atPath: database) == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: disk.path).sorted()
        #expect(names == ["g.db", "g.db-lock", "g.db-sign"])
    }
}

/// Kills a restore before each system call that changes a file, one run for each.
@Suite("An interrupted restore")
struct RestoreCrashTests {
    private static let calls = ["rename", "link", "unlink", "fsync", "fdatasync", "pwrite64", "ftruncate"]

    /// The number of calls of a complete restore, by name.
    private func counts(_ fixture: BackupFixture, _ backup: String) throws -> [String: Int] {
        let log = fixture.file("calls")
        let strace = ["strace", "-f", "-qq", "-o", log, "-e", "trace=" + Self.calls.joined(separator: ",")]
        try fixture.run("restore", backup, through: strace).expect(0)
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        return Dictionary(
            uniqueKeysWithValues: Self.calls.map { call in
                (call, lines.filter { $0.contains(" \(call)(") }.count)
            })
    }

    private func moments(_ fixture: BackupFixture, _ backup: String) throws -> [(call: String, count: Int)] {
        let found = try counts(fixture, backup).filter { $0.value > 0 }
        #expect(found.keys.contains("rename") && found.keys.contains("link"))
        // Of many calls of one kind, only the first and the last few.
        return found.flatMap { call, count in
            (1...count).filter { $0 <= 4 || $0 > count - 4 }.map { (call, $0) }.sampled(every: 3)
        }
    }

    @Test("leaves the old database or the new one, and running it again finishes")
    func healthy() throws {
        let model = try BackupFixture()
        let backup = try model.backUp()
        for moment in try moments(model, backup) {
            let fixture = try BackupFixture(users: ["ann", "zoe"])
            let killed = try fixture.run("restore", backup, through: Killing.at(moment.call, moment.count))
            #expect(killed.status == 137, "\(moment)")
            // For an operator and for a server, which refuses a database between the two states.
            let isBetween = FileManager.default.fileExists(atPath: fixture.database + "-restored")
            let listing = try fixture.run("users", "list")
            #expect((listing.status == 0) != isBetween, "\(moment)")
            if isBetween {
                #expect(
                    listing.errorOutput.contains("run gatehouse restore again"), "\(moment): \(listing.errorOutput)")
            } else {
                let users = try fixture.users()
                #expect(users == ["ann", "zoe"] || users == ["ann", "bob"], "\(moment)")
            }
            let again = try fixture.run("restore", backup)
            #expect(again.status == 0, "\(moment): \(again.errorOutput)")
            #expect(try fixture.users() == ["ann", "bob"], "\(moment)")
            #expect(try fixture.kept().contains { try BackupFixture.users(in: $0) == ["ann", "zoe"] }, "\(moment)")
            #expect(try fixture.names().allSatisfy { $0 == "gatehouse.db" || $0.contains("-before-") }, "\(moment)")
        }
    }

    @Test("loses nothing of a database that cannot be opened, nor of its log")
    func damaged() throws {
        let model = try BackupFixture()
        let backup = try model.backUp()
        let log = Data("a log of old".utf8)
        func spoil(_ fixture: BackupFixture) throws -> Data? {
            try BackupFixture.damage(fixture.database, at: 0)
            try log.write(to: URL(fileURLWithPath: fixture.database + "-wal"))
            return FileManager.default.contents(atPath: fixture.database)
        }
        _ = try spoil(model)
        for moment in try moments(model, backup) {
            let fixture = try BackupFixture(users: ["ann", "zoe"])
            let garbage = try spoil(fixture)
            #expect(try fixture.run("restore", backup, through: Killing.at(moment.call, moment.count)).status == 137)
            let listing = try fixture.run("users", "list")
            if listing.status == 0 { #expect(try fixture.users() == ["ann", "bob"], "\(moment)") }
            #expect(try fixture.run("restore", backup).status == 0, "\(moment)")
            #expect(try fixture.users() == ["ann", "bob"], "\(moment)")
            let kept = try #require(
                try fixture.kept().first { FileManager.default.contents(atPath: $0) == garbage }, "\(moment)")
            #expect(FileManager.default.contents(atPath: kept + "-wal") == log, "\(moment)")
        }
    }
}
