import Foundation
import GatehouseStore
import TestSupport
import Testing

/// A restore is killed before each system call that changes a file, one run for each.
@Suite("A restore that is cut off")
struct RestoreCrashTests {
    private static let calls = ["rename", "link", "unlink", "fsync", "fdatasync", "pwrite64", "ftruncate"]

    /// How often a whole restore makes each of them.
    private func counts(_ stand: BackupStand, _ backup: String) throws -> [String: Int] {
        let log = stand.file("calls")
        let strace = ["strace", "-f", "-qq", "-o", log, "-e", "trace=" + Self.calls.joined(separator: ",")]
        #expect(try stand.run("restore", backup, through: strace).status == 0)
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        return Dictionary(
            uniqueKeysWithValues: Self.calls.map { call in
                (call, lines.filter { $0.contains(" \(call)(") }.count)
            })
    }

    private func moments(_ stand: BackupStand, _ backup: String) throws -> [(call: String, count: Int)] {
        let found = try counts(stand, backup).filter { $0.value > 0 }
        #expect(found.keys.contains("rename") && found.keys.contains("link"))
        // Of many writes of one kind, the first few and the last few.
        return found.flatMap { call, count in
            (1...count).filter { $0 <= 4 || $0 > count - 4 }.map { (call, $0) }
        }
    }

    @Test("anywhere leaves the old database or the new one, and is finished by another")
    func healthy() throws {
        let model = try BackupStand()
        let backup = try model.backUp()
        for moment in try moments(model, backup) {
            let stand = try BackupStand(users: ["ann", "zoe"])
            let killed = try stand.run("restore", backup, through: Killing.at(moment.call, moment.count))
            #expect(killed.status == 137, "\(moment)")
            // As an operator would find it, and as a server would, which refuses it where it is between the two.
            let isBetween = FileManager.default.fileExists(atPath: stand.database + "-restored")
            let listing = try stand.run("users", "list")
            #expect((listing.status == 0) != isBetween, "\(moment)")
            if isBetween {
                #expect(listing.complaint.contains("run gatehouse restore again"), "\(moment): \(listing.complaint)")
            } else {
                let users = try stand.users()
                #expect(users == ["ann", "zoe"] || users == ["ann", "bob"], "\(moment)")
            }
            let again = try stand.run("restore", backup)
            #expect(again.status == 0, "\(moment): \(again.complaint)")
            #expect(try stand.users() == ["ann", "bob"], "\(moment)")
            #expect(try stand.kept().contains { try BackupStand.users(in: $0) == ["ann", "zoe"] }, "\(moment)")
            #expect(try stand.names().allSatisfy { $0 == "gatehouse.db" || $0.contains("-before-") }, "\(moment)")
        }
    }

    @Test("anywhere loses nothing of a database that cannot be opened, nor of its log")
    func damaged() throws {
        let model = try BackupStand()
        let backup = try model.backUp()
        let log = Data("a log of old".utf8)
        func spoil(_ stand: BackupStand) throws -> Data? {
            try BackupStand.damage(stand.database, at: 0)
            try log.write(to: URL(fileURLWithPath: stand.database + "-wal"))
            return FileManager.default.contents(atPath: stand.database)
        }
        _ = try spoil(model)
        for moment in try moments(model, backup) {
            let stand = try BackupStand(users: ["ann", "zoe"])
            let garbage = try spoil(stand)
            #expect(try stand.run("restore", backup, through: Killing.at(moment.call, moment.count)).status == 137)
            let listing = try stand.run("users", "list")
            if listing.status == 0 { #expect(try stand.users() == ["ann", "bob"], "\(moment)") }
            #expect(try stand.run("restore", backup).status == 0, "\(moment)")
            #expect(try stand.users() == ["ann", "bob"], "\(moment)")
            let kept = try #require(
                try stand.kept().first { FileManager.default.contents(atPath: $0) == garbage }, "\(moment)")
            #expect(FileManager.default.contents(atPath: kept + "-wal") == log, "\(moment)")
        }
    }
}
