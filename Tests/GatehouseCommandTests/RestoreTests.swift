import Foundation
import Gatehouse
import GatehouseStore
import JSON
import SQLite
import StoreSupport
import TestSupport
import Testing

@Suite("gatehouse restore")
struct RestoreTests {
    private let stand: BackupStand

    init() throws {
        stand = try BackupStand()
    }

    @Test("puts the backup in its place, keeps what was there and says where, and notes that it was done")
    func restore() throws {
        let backup = try stand.backUp()
        try stand.add(["carol"])
        chmod(stand.database, 0o640)
        let outcome = try stand.run("restore", backup)
        #expect(outcome.status == 0, "\(outcome.complaint)")
        #expect(try stand.users() == ["ann", "bob"])
        let kept = try #require(try stand.kept().first)
        #expect(outcome.text.contains("kept      \(kept)\n"))
        #expect(outcome.text.contains("note: 1 users came since, and are gone\n"))
        #expect(try BackupStand.users(in: kept) == ["ann", "bob", "carol"])
        #expect(try stand.names() == ["gatehouse.db", File.name(kept)])
        let mode = try FileManager.default.attributesOfItem(atPath: stand.database)[.posixPermissions]
        #expect(mode as? Int == 0o640)
        let trail = try stand.run("audit", "--kind", "database_restored")
        #expect(trail.text.contains("operator") && trail.text.contains("2025-10-09T08:53:20.000Z"))
    }

    private enum File {
        static func name(_ path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }
    }

    @Test("makes a database where there is none")
    func fresh() throws {
        let backup = try stand.backUp()
        try FileManager.default.removeItem(atPath: stand.database)
        let json = try JSONValue(parsing: try stand.run("restore", "--json", backup).output).object
        #expect(json?["kept"] == .null && json?["users"] == 2 && json?["since"] == .null)
        #expect(try stand.names() == ["gatehouse.db"])
        #expect(try stand.users() == ["ann", "bob"])
    }

    @Test("keeps what was only in the log of a server that was killed")
    func killedServer() throws {
        let backup = try stand.backUp()
        // A log that nobody has tidied away: as it lies beside the database of somebody who writes.
        let writer = try SQLiteStore(path: stand.database)
        try stand.add(["carol"])
        let (copy, log) = (stand.file("copy.db"), stand.file("copy.db-wal"))
        try FileManager.default.copyItem(atPath: stand.database, toPath: copy)
        try FileManager.default.copyItem(atPath: stand.database + "-wal", toPath: log)
        withExtendedLifetime(writer) {}
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "restore", backup], environment: ["DATABASE_URL": "sqlite:" + copy])
        #expect(outcome.status == 0, "\(outcome.complaint)")
        #expect(try BackupStand.users(in: copy) == ["ann", "bob"])
        let names = try FileManager.default.contentsOfDirectory(atPath: stand.tool.folder.path)
        let kept = try #require(names.first { $0.hasPrefix("copy.db-before-") })
        #expect(try BackupStand.users(in: stand.file(kept)) == ["ann", "bob", "carol"])
        #expect(!FileManager.default.fileExists(atPath: log))
    }

    @Test("refuses a file that is damaged, foreign, newer, empty or in pieces, and touches nothing")
    func refusals() throws {
        let stand = try BackupStand(users: (0..<60).map { "user\($0)" })
        let good = try stand.backUp()
        let cases: [(String, (String) throws -> Void, String)] = [
            ("cut", { #expect(truncate($0, 20_000) == 0) }, "damaged"),
            ("overwritten", { try BackupStand.damage($0, at: 8192, count: 12_288) }, "damaged"),
            ("garbage", { try BackupStand.damage($0, at: 0) }, "no database"),
            ("text", { try Data("-- SQL".utf8).write(to: URL(fileURLWithPath: $0)) }, "no database"),
            ("empty", { try Data().write(to: URL(fileURLWithPath: $0)) }, "empty"),
            ("foreign", { try change($0, "PRAGMA user_version = 0") }, "not made by this program"),
            ("newer", { try change($0, "PRAGMA user_version = 99") }, "run a newer one"),
            ("dangling", { try change($0, "DELETE FROM users") }, "belongs to another"),
            ("unreadable", { try change($0, "PRAGMA writable_schema = 1; DROP TABLE refresh_tokens") }, "damaged"),
            ("log", { try Data("x".utf8).write(to: URL(fileURLWithPath: $0 + "-wal")) }, "make a backup of it"),
        ]
        let before = FileManager.default.contents(atPath: stand.database)
        for (name, spoil, word) in cases {
            let path = stand.file(name + ".db")
            try FileManager.default.copyItem(atPath: good, toPath: path)
            try spoil(path)
            let outcome = try stand.run("restore", path)
            #expect(outcome.status == 1, "\(name): \(outcome.complaint)")
            #expect(outcome.text.isEmpty)
            #expect(outcome.complaint.hasPrefix("gatehouse: nothing was restored: "))
            #expect(outcome.complaint.contains(word), "\(name): \(outcome.complaint)")
            #expect(try stand.names() == ["gatehouse.db"], "\(name)")
            #expect(FileManager.default.contents(atPath: stand.database) == before, "\(name)")
        }
        #expect(try stand.run("restore", stand.database).complaint.contains("is the database itself"))
        #expect(try stand.run("restore", stand.home).status == 1)
        #expect(try stand.run("restore", stand.file("nowhere.db")).status == 3)
    }

    private func change(_ path: String, _ sql: String) throws {
        try Connection(path: path, access: .readWrite).execute(script: sql)
    }

    @Test("that fails after another one was cut off leaves the database closed, and says to run it again")
    func secondAttempt() throws {
        let backup = try stand.backUp()
        // Killed after the old database had its second name, and before its log had one.
        let kept = stand.database + "-before-2026-01-01T000000Z"
        try FileManager.default.linkItem(atPath: stand.database, toPath: kept)
        try FileManager.default.copyItem(atPath: backup, toPath: stand.database + "-restored")
        try Data("a log".utf8).write(to: URL(fileURLWithPath: stand.database + "-wal"))
        // Where that is to go, there is something by now that is in the way.
        try FileManager.default.createSymbolicLink(atPath: kept + "-wal", withDestinationPath: "/nowhere/at/all")
        let failed = try stand.run("restore", backup)
        #expect(failed.status == 3 && failed.complaint.contains("run this again"), "\(failed.complaint)")
        #expect(try stand.run("users", "list").complaint.contains("run gatehouse restore again"))
        let check = try stand.run("check", "--offline")
        #expect(check.text.contains(/FAULT +database +a restore was cut off/), "\(check.text)")
        try FileManager.default.removeItem(atPath: kept + "-wal")
        #expect(try stand.run("restore", backup).status == 0)
        #expect(try stand.users() == ["ann", "bob"])
    }

    @Test("refuses while a server runs, and no longer when it was killed")
    func runningServer() throws {
        let backup = try stand.backUp()
        let settings = stand.tool.settings(["DATABASE_URL": "sqlite:" + stand.database])
        let server = try stand.tool.start(["serve"], settings)
        #expect(Eventually.holds { server.log.contains(#""event":"listening""#) })
        let refused = try stand.run("restore", backup)
        #expect(refused.status == 1 && refused.complaint.contains("a server or a command"), "\(refused.complaint)")
        server.signal(SIGKILL)
        #expect(server.wait() == 128 + SIGKILL)
        #expect(try stand.run("restore", backup).status == 0)
    }

    @Test("refuses while a program has the database open that knows nothing of our lock")
    func otherProgram() throws {
        let backup = try stand.backUp()
        let other = try Connection(path: stand.database, access: .readWrite)
        _ = try other.first("SELECT count(*) FROM users") { $0.integer(0) }
        let refused = try stand.run("restore", backup)
        #expect(refused.status == 1 && refused.complaint.contains("another program"), "\(refused.complaint)")
        #expect(try stand.names().filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == ["gatehouse.db"])
    }

    @Test("keeps a server and commands waiting that start meanwhile")
    func startingServer() throws {
        let lock = open(stand.database + "-lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        let outcome = try stand.run("users", "list")
        #expect(outcome.status == 3 && outcome.complaint.contains("is being restored"))
        let settings = stand.tool.settings(["DATABASE_URL": "sqlite:" + stand.database])
        let server = try stand.tool.start(["serve"], settings)
        #expect(!Eventually.holds(within: 1) { server.log.contains("listening") || server.exitStatus != nil })
        #expect(flock(lock, LOCK_UN) == 0)
        #expect(Eventually.holds { server.log.contains(#""event":"listening""#) })
    }

    @Test("moves a damaged database aside as it is, with what is left of its log")
    func damaged() throws {
        let backup = try stand.backUp()
        try BackupStand.damage(stand.database, at: 0)
        let (garbage, log) = (FileManager.default.contents(atPath: stand.database), Data("a log of old".utf8))
        try log.write(to: URL(fileURLWithPath: stand.database + "-wal"))
        #expect(try stand.run("restore", backup).status == 0)
        #expect(try stand.users() == ["ann", "bob"])
        let kept = try #require(try stand.kept().first)
        #expect(FileManager.default.contents(atPath: kept) == garbage)
        #expect(FileManager.default.contents(atPath: kept + "-wal") == log)
        #expect(try stand.names().count == 3)
    }

    @Test("brings an older backup to the schema of this program")
    func older() throws {
        try OldSchema.make(at: stand.file("old.db"))
        let outcome = try stand.run("restore", stand.file("old.db"))
        #expect(outcome.status == 0 && outcome.text.contains("applied   apple"))
        #expect(try stand.users() == ["old"])
        #expect(try stand.run("users", "list").status == 0)
    }

    @Test("tells which sessions and users come back from the dead, and ends every session where it is told to")
    func gap() throws {
        let stand = try BackupStand(users: ["ann", "bob", "carol", "dora"])
        let backup = try stand.backUp()
        for words in [["sessions", "revoke", "sess_ann"], ["users", "disable", "user_bob"]] {
            #expect(try stand.tool.run(words, stand.environment).status == 0)
        }
        do {
            let store = try SQLiteStore(path: stand.database)
            let token = SessionToken(
                generation: 2, random: [2], issuedAt: Registry.noon, expiresAt: Registry.farFuture, hash: [2])
            #expect(try store.advance(SessionID("sess_carol"), to: token, now: Registry.noon))
        }
        let told = try stand.run("restore", backup)
        #expect(told.text.contains("note: 2 sessions had ended since, and are alive again"))
        #expect(told.text.contains("note: 1 sessions were refreshed since"))
        #expect(told.text.contains("note: 1 users were disabled or deleted since"))
        #expect(try stand.run("users", "sessions", "user_ann").text.contains("sess_ann"))

        let ended = try stand.run("restore", "--end-sessions", backup)
        #expect(ended.text.contains("\nended     4\n"))
        for name in ["ann", "bob", "carol", "dora"] {
            #expect(try !stand.run("users", "sessions", "user_" + name).text.contains("sess_"))
        }
        #expect(try stand.run("audit", "--kind", "sessions_revoked").text.contains("×4"))
    }

    @Test("follows a link to where the database is")
    func link() throws {
        let backup = try stand.backUp()
        try stand.add(["carol"])
        let link = stand.file("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: stand.database)
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "restore", backup], environment: ["DATABASE_URL": "sqlite:" + link])
        #expect(outcome.status == 0)
        #expect(try stand.users() == ["ann", "bob"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == stand.database)
    }

    @Test("without room for the backup loses nothing", .enabled(if: SmallDisk.isPossible))
    func fullDisk() throws {
        let disk = try SmallDisk(kibibytes: 700)
        let database = disk.path + "/g.db"
        try BackupStand.add(["ann"], to: database)
        let crowded = try BackupStand(users: (0..<1500).map { "user\($0)" })
        let big = try crowded.backUp()
        let before = FileManager.default.contents(atPath: database)
        let environment = ["DATABASE_URL": "sqlite:" + database]
        let outcome = try Shell.outcome(of: [Executable.gatehouse, "restore", big], environment: environment)
        #expect(outcome.status == 3 && outcome.complaint.contains("No space left"), "\(outcome.complaint)")
        #expect(FileManager.default.contents(atPath: database) == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: disk.path).sorted()
        #expect(names == ["g.db", "g.db-lock", "g.db-sign"])
    }
}
