import Foundation
import GatehouseStore
import TestSupport
import Testing

/// Kills a restore before each system call that changes a file, one run for each.
@Suite("An interrupted restore")
struct RestoreCrashTests {
    private static let calls = ["rename", "link", "unlink", "fsync", "fdatasync", "pwrite64", "ftruncate"]

    /// The number of calls of a complete restore, by name.
    private func counts(_ fixture: BackupFixture, _ backup: String) throws -> [String: Int] {
        let log = fixture.file("calls")
        let strace = ["strace", "-f", "-qq", "-o", log, "-e", "trace=" + Self.calls.joined(separator: ",")]
        #expect(try fixture.run("restore", backup, through: strace).status == 0)
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
