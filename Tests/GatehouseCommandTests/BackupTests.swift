import Foundation
import Gatehouse
import GatehouseStore
import JSON
import SQLite
import TestSupport
import Testing

@Suite("gatehouse backup")
struct BackupTests {
    private let stand: BackupStand
    private var target: String { stand.file("backups") }

    init() throws {
        stand = try BackupStand()
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: target).sorted()
    }

    @Test("is one file of all that was committed, which works wherever it is copied and is nobody else's to read")
    func plain() throws {
        // Somebody has the database open, and most of it is in the log.
        let server = try SQLiteStore(path: stand.database)
        try stand.add(["carol"])
        let outcome = try stand.run("backup", target + "/x.db")
        withExtendedLifetime(server) {}
        #expect(outcome.status == 0)
        #expect(outcome.text.hasPrefix("path      \(target)/x.db\nbytes     "))
        #expect(outcome.text.contains("\nusers     3\nsessions  3\nlatest    2025-10-09T08:53:20.000Z\n"))
        #expect(try names() == ["x.db"])
        #expect(try mode(of: target + "/x.db") == 0o600)
        let header = try #require(FileManager.default.contents(atPath: target + "/x.db"))
        #expect(header[18] == 1 && header[19] == 1, "no log belongs to it")
        try FileManager.default.copyItem(atPath: target + "/x.db", toPath: stand.file("elsewhere.db"))
        #expect(try BackupStand.users(in: stand.file("elsewhere.db")) == ["ann", "bob", "carol"])
        let store = try SQLiteStore(path: stand.file("elsewhere.db"))
        #expect(try store.user(.init("user_carol")) != nil)
    }

    private func mode(of path: String) throws -> Int {
        let value = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        return try #require(value as? Int)
    }

    @Test("tells a script what it has made")
    func json() throws {
        let outcome = try stand.run("backup", "--json", target + "/x.db")
        let json = try #require(try JSONValue(parsing: outcome.output).object)
        #expect(json["path"]?.string == target + "/x.db")
        #expect(json["users"] == 2 && json["sessions"] == 2)
        #expect(json["schema"]?.integer == Int64(Migrator.latest))
        let size = try FileManager.default.attributesOfItem(atPath: target + "/x.db")[.size] as? Int64
        #expect(json["bytes"]?.integer == size)
    }

    @Test("is noted in the database, for whoever watches that there are any; one that failed is not")
    func noted() throws {
        let before = Date.now.timeIntervalSince1970.rounded(.down)
        #expect(try stand.run("backup", target + "/missing/x.db").status == 3)
        #expect(try SQLiteStore(path: stand.database).vitals().backedUpAt == nil)
        #expect(try stand.run("backup", target + "/x.db").status == 0)
        let noted = try #require(try SQLiteStore(path: stand.database).vitals().backedUpAt)
        #expect(Double(noted.milliseconds) >= before * 1000)
    }

    @Test("leaves a file that is there as it is, unless it is told to replace it")
    func existing() throws {
        try "mine".write(toFile: target + "/x.db", atomically: true, encoding: .utf8)
        let refused = try stand.run("backup", target + "/x.db")
        #expect(refused.status == 1 && refused.complaint.contains("--force"))
        #expect(FileManager.default.contents(atPath: target + "/x.db") == Data("mine".utf8))
        #expect(try stand.run("backup", "--force", target + "/x.db").status == 0)
        #expect(try BackupStand.users(in: target + "/x.db") == ["ann", "bob"])
        #expect(try names() == ["x.db"])
        #expect(try stand.run("backup", "--force", target).status == 3, "a folder is replaced by nothing")
        #expect(try stand.run("backup", "--keep", "0", target).status == 2)
        #expect(try stand.run("backup", "--keep", "2", "--force", target).status == 2)
        #expect(try stand.run("backup", "--keep-for", "30d", target).status == 2)
        for age in ["30", "-1d", "month", "2026-11-21"] {
            #expect(try stand.run("backup", "--keep", "2", "--keep-for", age, target).status == 2, "\(age)")
        }
    }

    @Test("of a database that is missing, damaged, foreign, empty or newer fails, and leaves nothing behind")
    func sources() throws {
        let cases: [(String, (String) throws -> Void, String)] = [
            ("missing", { try FileManager.default.removeItem(atPath: $0) }, "there is no database"),
            ("damaged", { try BackupStand.damage($0, at: 4096, count: 8192) }, "malformed"),
            ("garbage", { try BackupStand.damage($0, at: 0) }, "not a database"),
            ("empty", { try Data().write(to: URL(fileURLWithPath: $0)) }, "empty"),
            ("foreign", { try change($0, "PRAGMA user_version = 0") }, "not made by this program"),
            ("newer", { try change($0, "PRAGMA user_version = 99") }, "a newer one"),
            ("dangling", { try change($0, "DELETE FROM users") }, "belongs to another that is not there"),
        ]
        for (name, spoil, word) in cases {
            let stand = try BackupStand(users: (0..<60).map { "user\($0)" })
            try spoil(stand.database)
            let outcome = try stand.run("backup", target + "/x.db")
            #expect(outcome.status == 3, "\(name)")
            #expect(outcome.text.isEmpty)
            #expect(outcome.complaint.hasPrefix("gatehouse: no backup was made at \(target)/x.db: "))
            #expect(outcome.complaint.contains(word), "\(name): \(outcome.complaint)")
            #expect(try names().isEmpty, "\(name)")
        }
    }

    private func change(_ path: String, _ sql: String) throws {
        try Connection(path: path, access: .readWrite).execute(script: sql)
    }

    @Test("into a folder that is not there fails, and makes none")
    func noFolder() throws {
        let outcome = try stand.run("backup", stand.file("nowhere/x.db"))
        #expect(outcome.status == 3 && outcome.complaint.contains("No such file"))
        #expect(try stand.run("backup", "--keep", "3", stand.file("nowhere")).status == 3)
        #expect(!FileManager.default.fileExists(atPath: stand.file("nowhere")))
    }

    @Test("keeps the latest so many of its own in a folder, and every file that is somebody else's")
    func keep() throws {
        let foreign = [
            "gatehouse-2026-01-01T000000Z.db.gz", "gatehouse.db", "gatehouse-2026-01-01.db", "notes.txt",
            "x-gatehouse-2026-01-01T000000Z.db",
        ]
        let old = (1...5).map { "gatehouse-2026-01-0\($0)T000000Z.db" }
        for name in foreign + old { try "x".write(toFile: target + "/" + name, atomically: true, encoding: .utf8) }
        let outcome = try stand.run("backup", "--keep", "3", target)
        #expect(outcome.status == 0)
        let left = try names().filter { !foreign.contains($0) }
        #expect(left.count == 3 && left.prefix(2) == old.suffix(2))
        #expect(left[2].wholeMatch(of: /gatehouse-20\d\d-\d\d-\d\dT\d{6}Z\.db/) != nil)
        for name in old.prefix(3) { #expect(outcome.text.contains("removed   \(name)\n")) }
        #expect(try names().filter(foreign.contains).count == foreign.count)
    }

    @Test("removes of a folder only what is beyond the count and older than the age")
    func keepFor() throws {
        let now = Int64(Date().timeIntervalSince1970)
        let names = ([40, 31, 29, 1] as [Int64]).map { days in
            let text = Timestamp(seconds: now - days * 86_400).description
            return "gatehouse-\(text.prefix(19).replacing(":", with: ""))Z.db"
        }
        for name in names { try "x".write(toFile: target + "/" + name, atomically: true, encoding: .utf8) }
        // The new one is the first of those that the count keeps.
        #expect(try stand.run("backup", "--keep", "5", "--keep-for", "30d", target).text.contains("removed") == false)
        try FileManager.default.removeItem(atPath: target + "/" + self.names().last!)
        let outcome = try stand.run("backup", "--keep", "2", "--keep-for", "30d", target)
        #expect(try self.names().dropLast() == names.dropFirst(2))
        for name in names.prefix(2) { #expect(outcome.text.contains("removed   \(name)\n")) }
    }

    @Test("removes no older one when it is no good, and never the new one, whatever the clock says")
    func keepOnFailure() throws {
        let future = (1...3).map { "gatehouse-2999-01-0\($0)T000000Z.db" }
        for name in future { try "x".write(toFile: target + "/" + name, atomically: true, encoding: .utf8) }
        #expect(try stand.run("backup", "--keep", "2", target).status == 0)
        #expect(try names().count == 2 && names().last == future.last)
        let before = try names()
        try BackupStand.damage(stand.database, at: 0)
        #expect(try stand.run("backup", "--keep", "1", target).status == 3)
        #expect(try names() == before)
    }

    @Test("two within a second both get a name")
    func sameSecond() throws {
        let outcomes = try Crowd.of(4) { _ in try stand.run("backup", "--keep", "9", target) }
        for outcome in outcomes { #expect(outcome.status == 0, "\(outcome.status): \(outcome.complaint)") }
        #expect(try names().count == 4)
    }

    @Test("that was killed leaves no name, and the next one cleans up; what somebody else is making stays")
    func killed() throws {
        let working = target + "/.gatehouse-backup-abcdef"
        let descriptor = open(working, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)
        for call in ["fsync", "renameat2"] {
            let killed = try stand.run("backup", target + "/x.db", through: Killing.at(call, 1))
            #expect(killed.status == 137, "\(call): \(killed.complaint)")
            #expect(try names().filter { $0.hasPrefix(".gatehouse-backup-") }.count == 2, "\(call)")
            #expect(!FileManager.default.fileExists(atPath: target + "/x.db"))
        }
        #expect(try stand.run("backup", target + "/x.db").status == 0)
        #expect(try names() == [".gatehouse-backup-abcdef", "x.db"])
    }

    @Test("on a disk that is too full fails, and leaves nothing there", .enabled(if: SmallDisk.isPossible))
    func fullDisk() throws {
        let disk = try SmallDisk(kibibytes: 64)
        let outcome = try stand.run("backup", disk.path + "/x.db")
        #expect(outcome.status == 3 && outcome.complaint.contains("full"), "\(outcome.complaint)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
        #expect(try stand.users() == ["ann", "bob"])
    }

    @Test("of an older schema is made and found good, so that one can be made before a program is replaced")
    func older() throws {
        let old = stand.file("old.db")
        try OldSchema.make(at: old)
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "backup", "--json", target + "/x.db"],
            environment: ["DATABASE_URL": "sqlite:" + old])
        #expect(outcome.status == 0, "\(outcome.complaint)")
        #expect(try JSONValue(parsing: outcome.output).object?["schema"] == 3)
    }
}
