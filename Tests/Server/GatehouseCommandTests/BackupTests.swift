import Foundation
import Gatehouse
import GatehouseStore
import JSON
import SQL
import SQLite
import TestSupport
import Testing

@Suite("gatehouse backup")
struct BackupTests {
    private let fixture: BackupFixture
    private var target: String { fixture.file("backups") }

    init() throws {
        fixture = try BackupFixture()
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: target).sorted()
    }

    @Test("writes one private file with everything that was committed, which works at any path")
    func plain() throws {
        // The database is open, and most of it is in the log.
        let server = try SQLiteStore(path: fixture.database)
        try fixture.add(["carol"])
        let outcome = try fixture.run("backup", target + "/x.db")
        withExtendedLifetime(server) {}
        #expect(outcome.status == 0 && outcome.text.hasPrefix("path      \(target)/x.db\nbytes     "))
        #expect(outcome.text.contains("\nusers     3\nsessions  3\nlatest    2025-10-09T08:53:20.000Z\n"))
        #expect(try names() == ["x.db"])
        #expect(try mode(of: target + "/x.db") == 0o600)
        let header = try #require(FileManager.default.contents(atPath: target + "/x.db"))
        #expect(header[18] == 1 && header[19] == 1, "no log belongs to it")
        try FileManager.default.copyItem(atPath: target + "/x.db", toPath: fixture.file("elsewhere.db"))
        #expect(try BackupFixture.users(in: fixture.file("elsewhere.db")) == ["ann", "bob", "carol"])
        let store = try SQLiteStore(path: fixture.file("elsewhere.db"))
        #expect(try store.user(.init("user_carol")) != nil)
    }

    private func mode(of path: String) throws -> Int {
        let value = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        return try #require(value as? Int)
    }

    @Test("records the time of a backup in the database, but not of a failed one; --json describes the backup")
    func noted() throws {
        let before = Date.now.timeIntervalSince1970.rounded(.down)
        try fixture.run("backup", fixture.file("nowhere/x.db")).expect(3, saying: "No such file")
        try fixture.run("backup", "--keep", "3", fixture.file("nowhere")).expect(3)
        #expect(!FileManager.default.fileExists(atPath: fixture.file("nowhere")), "a folder is not created")
        #expect(try SQLiteStore(path: fixture.database).statistics().backedUpAt == nil)
        let outcome = try fixture.run("backup", "--json", target + "/x.db")
        let json = try #require(try JSONValue(parsing: outcome.output).object)
        #expect(json["path"]?.string == target + "/x.db")
        #expect(json["users"] == 2 && json["sessions"] == 2 && json["schema"]?.integer == Int64(SQLiteMigrator.latest))
        let size = try FileManager.default.attributesOfItem(atPath: target + "/x.db")[.size] as? Int64
        #expect(json["bytes"]?.integer == size)
        let noted = try #require(try SQLiteStore(path: fixture.database).statistics().backedUpAt)
        #expect(Double(noted.milliseconds) >= before * 1000)
    }

    @Test("replaces an existing file only with --force")
    func existing() throws {
        try "mine".write(toFile: target + "/x.db", atomically: true, encoding: .utf8)
        try fixture.run("backup", target + "/x.db").expect(1, saying: "--force")
        #expect(FileManager.default.contents(atPath: target + "/x.db") == Data("mine".utf8))
        try fixture.run("backup", "--force", target + "/x.db").expect(0)
        #expect(try BackupFixture.users(in: target + "/x.db") == ["ann", "bob"])
        #expect(try names() == ["x.db"])
        #expect(try fixture.run("backup", "--force", target).status == 3, "a folder is replaced by nothing")
        try fixture.run("backup", "--keep", "0", target).expect(2)
        try fixture.run("backup", "--keep", "2", "--force", target).expect(2)
        try fixture.run("backup", "--keep-for", "30d", target).expect(2)
        for age in ["30", "-1d", "month", "2026-11-21"] {
            #expect(try fixture.run("backup", "--keep", "2", "--keep-for", age, target).status == 2, "\(age)")
        }
    }

    @Test("fails for a missing, damaged, empty or newer database, and leaves no file")
    func sources() throws {
        let cases: [(name: String, spoil: (String) throws -> Void, message: String)] = [
            ("missing", { try FileManager.default.removeItem(atPath: $0) }, "there is no database"),
            ("damaged", { try BackupFixture.damage($0, at: 4096, count: 8192) }, "malformed"),
            ("empty", { try Data().write(to: URL(fileURLWithPath: $0)) }, "empty"),
            ("newer", { try change($0, Self.newer) }, "a newer one"),
            ("dangling", { try change($0, "DELETE FROM users") }, "refers to a row that does not exist"),
        ]
        for (name, spoil, message) in cases {
            let fixture = try BackupFixture(users: (0..<60).map { "user\($0)" })
            try spoil(fixture.database)
            let outcome = try fixture.run("backup", target + "/x.db")
            #expect(outcome.status == 3 && outcome.text.isEmpty, "\(name)")
            #expect(outcome.errorOutput.hasPrefix("gatehouse: no backup was made at \(target)/x.db: "))
            #expect(outcome.errorOutput.contains(message), "\(name): \(outcome.errorOutput)")
            #expect(try names().isEmpty, "\(name)")
        }
    }

    private static let newer = "UPDATE gatehouse_schema SET usable_by = 99; PRAGMA user_version = 99"

    private func change(_ path: String, _ sql: String) throws {
        try Connection(path: path, access: .readWrite).execute(script: sql)
    }

    @Test("--keep keeps the latest N backups and every other file")
    func keep() throws {
        let foreign = [
            "gatehouse-2026-01-01T000000Z.db.gz", "gatehouse.db", "gatehouse-2026-01-01.db", "notes.txt",
            "x-gatehouse-2026-01-01T000000Z.db",
        ]
        let old = (1...5).map { "gatehouse-2026-01-0\($0)T000000Z.db" }
        for name in foreign + old { try "x".write(toFile: target + "/" + name, atomically: true, encoding: .utf8) }
        let outcome = try fixture.run("backup", "--keep", "3", target)
        #expect(outcome.status == 0)
        let left = try names().filter { !foreign.contains($0) }
        #expect(left.count == 3 && left.prefix(2) == old.suffix(2))
        #expect(left[2].wholeMatch(of: /gatehouse-20\d\d-\d\d-\d\dT\d{6}Z\.db/) != nil)
        for name in old.prefix(3) { #expect(outcome.text.contains("removed   \(name)\n")) }
        #expect(try names().filter(foreign.contains).count == foreign.count)
    }

    @Test("--keep-for removes only backups beyond the count and older than the age")
    func keepFor() throws {
        let now = Int64(Date().timeIntervalSince1970)
        let names = ([40, 31, 29, 1] as [Int64]).map { days in
            let text = Timestamp(seconds: now - days * 86_400).description
            return "gatehouse-\(text.prefix(19).replacing(":", with: ""))Z.db"
        }
        for name in names { try "x".write(toFile: target + "/" + name, atomically: true, encoding: .utf8) }
        // The new backup is among those that the count keeps.
        #expect(try fixture.run("backup", "--keep", "5", "--keep-for", "30d", target).text.contains("removed") == false)
        try FileManager.default.removeItem(atPath: target + "/" + self.names().last!)
        let outcome = try fixture.run("backup", "--keep", "2", "--keep-for", "30d", target)
        #expect(try self.names().dropLast() == names.dropFirst(2))
        for name in names.prefix(2) { #expect(outcome.text.contains("removed   \(name)\n")) }
    }

    @Test("a failed backup removes no older one, and the new one is never removed, even if the clock is wrong")
    func keepOnFailure() throws {
        let future = (1...3).map { "gatehouse-2999-01-0\($0)T000000Z.db" }
        for name in future { try "x".write(toFile: target + "/" + name, atomically: true, encoding: .utf8) }
        try fixture.run("backup", "--keep", "2", target).expect(0)
        #expect(try names().count == 2 && names().last == future.last)
        let before = try names()
        try BackupFixture.damage(fixture.database, at: 0)
        try fixture.run("backup", "--keep", "1", target).expect(3)
        #expect(try names() == before)
    }

    @Test("two backups within a second get different names")
    func sameSecond() throws {
        let outcomes = try Concurrently.run(4) { _ in try fixture.run("backup", "--keep", "9", target) }
        for outcome in outcomes { #expect(outcome.status == 0, "\(outcome.status): \(outcome.errorOutput)") }
        #expect(try names().count == 4)
    }

    @Test("a killed backup leaves no file, the next one cleans up, and files of a running backup stay")
    func killed() throws {
        let working = target + "/.gatehouse-backup-abcdef"
        let descriptor = open(working, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)
        for call in ["fsync", "renameat2"] {
            let killed = try fixture.run("backup", target + "/x.db", through: Killing.at(call, 1))
            #expect(killed.status == 137, "\(call): \(killed.errorOutput)")
            #expect(try names().filter { $0.hasPrefix(".gatehouse-backup-") }.count == 2, "\(call)")
            #expect(!FileManager.default.fileExists(atPath: target + "/x.db"))
        }
        try fixture.run("backup", target + "/x.db").expect(0)
        #expect(try names() == [".gatehouse-backup-abcdef", "x.db"])
    }

    @Test("fails on a full disk, and leaves no file", .enabled(if: SmallDisk.isPossible))
    func fullDisk() throws {
        let disk = try SmallDisk(kibibytes: 64)
        try fixture.run("backup", disk.path + "/x.db").expect(3, saying: "full")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
        #expect(try fixture.users() == ["ann", "bob"])
    }

    @Test("accepts an older schema, so that a backup can be made before an upgrade")
    func older() throws {
        let old = fixture.file("old.db")
        try OldSchema.make(at: old)
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "backup", "--json", target + "/x.db"],
            environment: ["DATABASE_URL": "sqlite:" + old])
        outcome.expect(0)
        #expect(try JSONValue(parsing: outcome.output).object?["schema"] == 3)
    }
}
