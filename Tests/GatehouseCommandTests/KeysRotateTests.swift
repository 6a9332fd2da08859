import Foundation
import GatehouseServer
import GatehouseTokens
import JOSE
import JSON
import POSIX
import TestSupport
import Testing

@testable import GatehouseCommand

@Suite("gatehouse keys rotate")
struct KeysRotateTests {
    @Test("three times in a row keeps every key, and the server takes what it wrote")
    func threeTimes() throws {
        let stand = try KeyStand()
        for name in KeyStand.names.dropLast() {
            var before: [String] = []
            for _ in 0..<3 {
                before.insert(stand.text(name), at: 0)
                let outcome = try stand.keys("rotate", name)
                #expect(outcome.status == 0, "\(outcome.everything)")
                #expect(outcome.text.contains("next: systemctl restart gatehouse"))
                #expect(outcome.text.contains("gatehouse keys retire \(name)"))
                #expect(!outcome.everything.contains(stand.text(name)))
            }
            #expect(stand.list(name).entries.map(\.text) == before)
        }
        let configuration = try stand.configuration()
        // The secret beside the key that signs, and those before it.
        #expect(configuration.accessKeys.previous.count == 4 && configuration.refreshKeys.previous.count == 3)
        #expect(configuration.vault?.heads.count == 4 && configuration.warnings.count == 2)
    }

    @Test("of a signing key publishes the next one, refuses what is too early, and then swaps")
    func signingKey() throws {
        let stand = try KeyStand()
        let (name, old) = ("access_signing_key", stand.text("access_signing_key"))
        let first = try stand.keys("rotate", name)
        #expect(
            first.status == 0 && first.text.contains("5 minutes later: gatehouse keys rotate"), "\(first.everything)")
        let next = try #require(stand.list(name).entries.first)
        #expect(stand.text(name) == old && stand.list(name).entries.count == 1)
        let second = try stand.keys("rotate", "ACCESS_SIGNING_KEY")
        #expect(second.status == 1 && second.complaint.contains("Nothing was changed"), "\(second.everything)")
        #expect(stand.list(name).entries == [next] && stand.text(name) == old)
        let third = try stand.keys("rotate", name, "--now", "--json")
        #expect(third.status == 0, "\(third.everything)")
        let json = try #require(try JSONValue(parsing: third.output).object)
        #expect(json.names == ["key", "outcome", "id", "previous"] && json["outcome"] == "replaced")
        #expect(stand.text(name) == next.text && stand.list(name).entries.map(\.text) == [old])
        #expect(try stand.configuration().accessKeys.current.keyID == json["id"]?.string)
    }

    @Test("keeps owner, group and permissions of both files", .enabled(if: getuid() == 0))
    func ownership() throws {
        let stand = try KeyStand()
        func ownership(_ name: String) throws -> [UInt32] {
            let status = try FileStatus(of: stand.file(name))
            return [status.owner, status.group, status.mode]
        }
        chown(stand.file("data_key"), 0, 12_345)
        chmod(stand.file("data_key"), 0o640)
        #expect(try stand.keys("rotate", "data_key").status == 0)
        for name in ["data_key", "data_key_previous"] { #expect(try ownership(name) == [0, 12_345, 0o640]) }
        chmod(stand.file("data_key_previous"), 0o600)
        #expect(try stand.keys("rotate", "data_key").status == 0)
        #expect(try ownership("data_key_previous") == [0, 12_345, 0o600])
    }

    @Test("works as the user whose folder it is, and follows a link to the file", .enabled(if: getuid() == 0))
    func otherUser() throws {
        let stand = try KeyStand()
        let real = stand.file("real")
        try FileManager.default.moveItem(atPath: stand.file("data_key"), toPath: real)
        try FileManager.default.createSymbolicLink(atPath: stand.file("data_key"), withDestinationPath: real)
        for path in [stand.folder, real] { chown(path, 12_345, 12_345) }
        let old = stand.text("data_key")
        let outcome = try stand.keys("rotate", "data_key")
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(try FileStatus(of: real).owner == 12_345)
        #expect(try FileStatus(of: stand.file("data_key_previous")).owner == 12_345)
        #expect(stand.text("data_key") != old && stand.list("data_key").contains(old))
        #expect(try FileStatus(ofEntry: stand.file("data_key")).kind == .link)
    }

    @Test("with --stolen does not keep the old key, and refuses that of a data key, which it would lose")
    func stolen() throws {
        let stand = try KeyStand()
        for name in ["jwt_access_secret", "jwt_refresh_secret", "access_signing_key"] {
            let old = stand.text(name)
            let unasked = try stand.keys("rotate", name, "--stolen")
            #expect(unasked.status == 2 && unasked.complaint.contains("--yes") && stand.all(name) == [old])
            let outcome = try stand.keys("rotate", name, "--stolen", "--yes")
            #expect(outcome.status == 0 && outcome.text.contains("from the restart on, the one before"))
            #expect(!stand.all(name).contains(old) && !stand.text(name).isEmpty)
        }
        _ = try stand.keys("rotate", "jwt_access_secret")
        let second = try stand.keys("rotate", "jwt_access_secret", "--stolen", "--yes")
        #expect(
            second.text.contains("1 previous key is still accepted: if stolen too, remove"), "\(second.everything)")
        #expect(second.text.contains(stand.file("jwt_access_secret_previous")))
        let (old, outcome) = (stand.text("data_key"), try stand.keys("rotate", "data_key", "--stolen"))
        #expect(outcome.status == 2 && stand.all("data_key") == [old])
    }

    @Test("takes --now for a signing key alone", arguments: KeyStand.names.dropLast())
    func now(name: String) throws {
        let stand = try KeyStand()
        let outcome = try stand.keys("rotate", name, "--now")
        #expect(outcome.status == 2 && outcome.complaint.contains("--now is for access_signing_key"))
        #expect(stand.list(name).entries.isEmpty)
    }

    // MARK: What goes wrong

    private static let calls = ["renameat", "renameat2", "fsync", "fchmod", "write", "unlinkat"]

    @Test("killed before any system call that changes a file loses no key, and is finished by another run")
    func killed() throws {
        var kills = 0
        for name in ["jwt_access_secret", "access_signing_key"] {
            for call in Self.calls {
                for count in 1...8 {
                    let stand = try KeyStand()
                    if name == "access_signing_key" { _ = try stand.keys("rotate", name) }
                    let before = stand.all(name)
                    let words = name == "access_signing_key" ? ["--now"] : []
                    let killed = try stand.keys(["rotate", name] + words, through: Killing.at(call, count))
                    #expect(stand.all(name).isSuperset(of: before), "\(name) \(call) \(count)")
                    #expect(throws: Never.self, "\(call) \(count): the server starts") { try stand.configuration() }
                    guard killed.status == 137 else { break }
                    kills += 1
                    let again = try stand.keys(["rotate", name] + words)
                    #expect(again.status == 0, "\(name) \(call) \(count): \(again.everything)")
                    #expect(stand.all(name).isSuperset(of: before), "\(name) \(call) \(count)")
                    let names = try FileManager.default.contentsOfDirectory(atPath: stand.folder)
                    #expect(!names.contains { $0.hasPrefix(".") }, "\(names)")
                }
            }
        }
        #expect(kills >= 20, "\(kills): two or three files are drafted, synced and renamed in each run")
    }

    @Test("changes nothing on a full disk", .enabled(if: SmallDisk.isPossible))
    func fullDisk() throws {
        let disk = try SmallDisk(kibibytes: 64)
        let stand = try KeyStand(at: disk.path)
        try disk.fill()
        let before = KeyStand.names.map { stand.text($0) }
        for name in KeyStand.names {
            let outcome = try stand.keys("rotate", name)
            #expect(outcome.status == 3 && outcome.complaint.contains("No key was lost"), "\(outcome.everything)")
        }
        #expect(KeyStand.names.map { stand.text($0) } == before)
        #expect(KeyStand.names.allSatisfy { stand.list($0).entries.isEmpty })
    }

    @Test("says why it does not change a key that is not in a file of its own, and changes nothing")
    func places() throws {
        let stand = try KeyStand()
        let secret = "a-secret-in-the-environment-0123456789"
        let configuration = try stand.tool.file("gatehouse.conf", "JWT_ACCESS_SECRET=\(secret)\n")
        let cases: [([String: String], String)] = [
            (["JWT_ACCESS_SECRET": secret], "JWT_ACCESS_SECRET stands in the environment"),
            (
                ["GATEHOUSE_CONFIG": configuration],
                "JWT_ACCESS_SECRET stands in the environment or in the configuration"
            ),
            (["JWT_ACCESS_SECRET_PREVIOUS": secret], "JWT_ACCESS_SECRET_PREVIOUS stands in the environment"),
            (["CREDENTIALS_DIRECTORY": ""], "JWT_ACCESS_SECRET is not set"),
            (
                ["CREDENTIALS_DIRECTORY": "", "JWT_ACCESS_SECRET_FILE": stand.file("jwt_access_secret")],
                "set JWT_ACCESS_SECRET_PREVIOUS_FILE="
            ),
            (["JWT_ACCESS_SECRET_FILE": "/nowhere/secret"], "/nowhere"),
        ]
        let before = stand.text("jwt_access_secret")
        for (changes, message) in cases {
            var changed = stand
            changed.environment.merge(changes) { $1 }
            let outcome = try changed.keys("rotate", "jwt_access_secret")
            #expect(outcome.status > 1 && outcome.complaint.contains(message), "\(outcome.everything)")
            #expect(!outcome.everything.contains(secret))
            #expect(stand.text("jwt_access_secret") == before && stand.list("jwt_access_secret").entries.isEmpty)
        }
        #expect(try stand.keys("rotate", "apple_private_key").complaint.contains("NAME must be one of"))
    }

    @Test("refuses a secret that could not stand on a line", arguments: ["# abcdefgh", "two\nlines", ""])
    func shapes(text: String) throws {
        let stand = try KeyStand()
        let written = text + " of-the-tests-0123456789-0123456789"
        for content in text.isEmpty ? ["", "\n"] : [written] {
            try content.write(toFile: stand.file("jwt_refresh_secret"), atomically: true, encoding: .utf8)
            let outcome = try stand.keys("rotate", "jwt_refresh_secret")
            #expect(outcome.status == 2 && !outcome.everything.contains("of-the-tests"), "\(outcome.everything)")
            #expect(try String(contentsOfFile: stand.file("jwt_refresh_secret"), encoding: .utf8) == content)
        }
    }

    @Test("with files that settings name writes those, and makes the one of the previous keys")
    func namedFiles() throws {
        var stand = try KeyStand()
        stand.environment["CREDENTIALS_DIRECTORY"] = nil
        let old = stand.text("jwt_refresh_secret")
        stand.environment["JWT_REFRESH_SECRET_FILE"] = stand.file("jwt_refresh_secret")
        stand.environment["JWT_REFRESH_SECRET_PREVIOUS_FILE"] = stand.file("jwt_refresh_secret_previous")
        let outcome = try stand.keys("rotate", "jwt_refresh_secret")
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(stand.list("jwt_refresh_secret").entries.map(\.text) == [old])
    }

    @Test("does not run beside another")
    func locked() throws {
        let stand = try KeyStand()
        let lock = try #require(try FileLock.take(folder: stand.folder))
        let outcome = try stand.keys("rotate", "data_key")
        #expect(outcome.status == 1 && outcome.complaint.contains("another gatehouse keys command"))
        withExtendedLifetime(lock) {}
    }

    // MARK: Retiring

    @Test("where the current key is gone, those before it are noted and retired")
    func withoutCurrent() throws {
        let (stand, name) = (try KeyStand(), "jwt_access_secret")
        try FileManager.default.removeItem(atPath: stand.file(name))
        let old = "# replaced 2026-01-01T00:00:00Z\na-long-gone-secret-of-the-tests-0123456789\n"
        try old.write(toFile: stand.file(name + "_previous"), atomically: true, encoding: .utf8)
        #expect(
            try stand.tool.run(["check", "--offline"], stand.environment).text.contains(
                "JWT_ACCESS_SECRET_PREVIOUS holds 1 key that no token needs any more"))
        let outcome = try stand.keys("retire", name)
        #expect(outcome.status == 0 && outcome.text.contains("removed"), "\(outcome.everything)")
        #expect(!FileManager.default.fileExists(atPath: stand.file(name + "_previous")))
    }

    @Test("of keys that stand in the environment the check says that their age is not known")
    func withoutFile() throws {
        var stand = try KeyStand()
        stand.environment["JWT_REFRESH_SECRET_PREVIOUS"] = "a-secret-in-the-environment-0123456789"
        let report = try stand.tool.run(["check", "--offline"], stand.environment)
        #expect(
            report.text.contains(
                "JWT_REFRESH_SECRET_PREVIOUS holds keys, but not in a file of its own: their age is not known"),
            "\(report.everything)")
    }

    @Test("a file that a setting names stays, with a heading that is true beside keys as well")
    func heading() throws {
        var stand = try KeyStand()
        let (name, file) = ("jwt_access_secret", stand.file("jwt_access_secret_previous"))
        stand.environment["JWT_ACCESS_SECRET_PREVIOUS_FILE"] = file
        let old = "# replaced 2026-01-01T00:00:00Z\na-long-gone-secret-of-the-tests-0123456789\n"
        try old.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try stand.keys("retire", name).status == 0)
        #expect(stand.text(name + "_previous") == "# previous keys of jwt_access_secret, newest first")
        #expect(try stand.keys("rotate", name).status == 0)
        #expect(stand.list(name).entries.count == 1)
        #expect(throws: Never.self) { try stand.configuration() }
    }

    @Test("where systemd says that the server runs and it does not answer, nothing is taken for not running")
    func silentServer() throws {
        let stand = try KeyStand()
        let source = SettingSource(variables: stand.environment)
        #expect(try RunningServer.startedAt(source, units: { nil }) == nil)
        let stopped = Units(parsing: "Id=gatehouse.service\nMainPID=0\n")
        #expect(try RunningServer.startedAt(source, units: { stopped }) == nil)
        let running = Units(parsing: "Id=gatehouse.service\nMainPID=4711\n")
        let fault = #expect(throws: CommandFault.self) { try RunningServer.startedAt(source, units: { running }) }
        #expect(fault?.message.contains("the server runs and does not answer at") == true)
    }

    @Test("what is over is retired, and nothing else; a file without keys goes")
    func retire() throws {
        let stand = try KeyStand()
        let name = "jwt_access_secret"
        _ = try stand.keys("rotate", name)
        let early = try stand.keys("retire", name)
        #expect(
            early.status == 0 && early.text.contains("stays, it signed tokens that live until"), "\(early.everything)")
        #expect(stand.list(name).entries.count == 1)
        let long = "a-long-gone-secret-of-the-tests-0123456789"
        let both = stand.list(name).text + "# replaced 2026-01-01T00:00:00Z\n\(long)\n"
        try both.write(toFile: stand.file(name + "_previous"), atomically: true, encoding: .utf8)
        #expect(
            try stand.tool.run(["check", "--offline"], stand.environment).text.contains(
                /note   previous keys +JWT_ACCESS_SECRET_PREVIOUS holds 1 key that no token needs any more/))
        let outcome = try stand.keys("retire", name, "--json")
        let json = try #require(try JSONValue(parsing: outcome.output).object)
        #expect(json["restart"] == true && json["previous"]?.array?.count == 2)
        #expect(!stand.all(name).contains(long) && stand.list(name).entries.count == 1)
        let none = "# replaced 2026-01-01T00:00:00Z\n\(long)\n"
        try none.write(toFile: stand.file(name + "_previous"), atomically: true, encoding: .utf8)
        #expect(try stand.keys("retire", name).text.contains("removed"))
        #expect(!FileManager.default.fileExists(atPath: stand.file(name + "_previous")))
        #expect(try stand.keys("retire", name).text.contains("JWT_ACCESS_SECRET_PREVIOUS holds no key"))
    }
}
