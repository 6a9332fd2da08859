import CommandLineTool
import FileSystem
import Foundation
import GatehouseServer
import GatehouseTokens
import JOSE
import JSON
import TestSupport
import Testing

@testable import GatehouseCommand

@Suite("gatehouse keys rotate")
struct KeysRotateTests {
    private let fixture: KeyFixture

    init() throws {
        fixture = try KeyFixture()
    }

    @Test("three rotations keep every key, and the server accepts the files")
    func threeTimes() throws {
        for name in KeyFixture.names.dropLast() {
            var before: [String] = []
            for _ in 0..<3 {
                before.insert(fixture.text(name), at: 0)
                let outcome = try fixture.keys("rotate", name)
                outcome.expect(0)
                #expect(outcome.text.contains("next: systemctl restart gatehouse"))
                #expect(outcome.text.contains("gatehouse keys retire \(name)"))
                #expect(!outcome.everything.contains(fixture.text(name)))
            }
            #expect(fixture.list(name).entries.map(\.text) == before)
        }
        let configuration = try fixture.configuration()
        // The secret beside the signing key, and the previous secrets.
        #expect(configuration.accessKeys.previous.count == 4 && configuration.refreshKeys.previous.count == 3)
        #expect(configuration.vault?.heads.count == 4 && configuration.warnings.count == 2)
    }

    @Test("publishes the next signing key, refuses an early second call, and then swaps")
    func signingKey() throws {
        let (name, old) = ("access_signing_key", fixture.text("access_signing_key"))
        let first = try fixture.keys("rotate", name)
        first.expect(0, printing: "5 minutes later: gatehouse keys rotate")
        let next = try #require(fixture.list(name).entries.first)
        #expect(fixture.text(name) == old && fixture.list(name).entries.count == 1)
        try fixture.keys("rotate", "ACCESS_SIGNING_KEY").expect(1, saying: "Nothing was changed")
        #expect(fixture.list(name).entries == [next] && fixture.text(name) == old)
        let third = try fixture.keys("rotate", name, "--now", "--json")
        third.expect(0)
        let json = try #require(try JSONValue(parsing: third.output).object)
        #expect(json.names == ["key", "outcome", "id", "previous"] && json["outcome"] == "replaced")
        #expect(fixture.text(name) == next.text && fixture.list(name).entries.map(\.text) == [old])
        #expect(try fixture.configuration().accessKeys.current.keyID == json["id"]?.string)
    }

    @Test("the next signing key does not sign before the running server has published it")
    func unpublished() throws {
        let server = try fixture.tool.start(["serve"], fixture.environment)
        defer { server.stop() }
        #expect(Eventually.holds { server.log.contains("\"listening\"") })
        try fixture.keys("rotate", "access_signing_key").expect(0)
        try fixture.keys("rotate", "access_signing_key").expect(1, saying: "systemctl restart gatehouse")
    }

    @Test("keeps owner, group and permissions of both files", .enabled(if: getuid() == 0))
    func ownership() throws {
        func ownership(_ name: String) throws -> [UInt32] {
            let status = try FileStatus(of: fixture.file(name))
            return [status.owner, status.group, status.mode]
        }
        chown(fixture.file("data_key"), 0, 12_345)
        chmod(fixture.file("data_key"), 0o640)
        try fixture.keys("rotate", "data_key").expect(0)
        for name in ["data_key", "data_key_previous"] { #expect(try ownership(name) == [0, 12_345, 0o640]) }
        chmod(fixture.file("data_key_previous"), 0o600)
        try fixture.keys("rotate", "data_key").expect(0)
        #expect(try ownership("data_key_previous") == [0, 12_345, 0o600])
    }

    @Test("works as the owner of the folder, and follows a link to the file", .enabled(if: getuid() == 0))
    func otherUser() throws {
        let real = fixture.file("real")
        try FileManager.default.moveItem(atPath: fixture.file("data_key"), toPath: real)
        try FileManager.default.createSymbolicLink(atPath: fixture.file("data_key"), withDestinationPath: real)
        for path in [fixture.folder, real] { chown(path, 12_345, 12_345) }
        let old = fixture.text("data_key")
        try fixture.keys("rotate", "data_key").expect(0)
        #expect(try FileStatus(of: real).owner == 12_345)
        #expect(try FileStatus(of: fixture.file("data_key_previous")).owner == 12_345)
        #expect(fixture.text("data_key") != old && fixture.list("data_key").contains(old))
        #expect(try FileStatus(ofEntry: fixture.file("data_key")).kind == .link)
    }

    @Test("--stolen drops the old key, and refuses a data key, as --now does")
    func stolen() throws {
        for name in ["jwt_access_secret", "jwt_refresh_secret", "access_signing_key"] {
            let old = fixture.text(name)
            let unasked = try fixture.keys("rotate", name, "--stolen")
            #expect(unasked.status == 2 && unasked.errorOutput.contains("--yes") && fixture.all(name) == [old])
            let outcome = try fixture.keys("rotate", name, "--stolen", "--yes")
            outcome.expect(0, printing: "the previous one is not accepted after the restart")
            #expect(!fixture.all(name).contains(old) && !fixture.text(name).isEmpty)
        }
        _ = try fixture.keys("rotate", "jwt_access_secret")
        let second = try fixture.keys("rotate", "jwt_access_secret", "--stolen", "--yes")
        #expect(
            second.text.contains("1 previous key is still accepted: if they were stolen too, remove"),
            "\(second.everything)")
        #expect(second.text.contains(fixture.file("jwt_access_secret_previous")))
        let old = fixture.text("data_key")
        try fixture.keys("rotate", "data_key", "--stolen").expect(2)
        let now = try fixture.keys("rotate", "data_key", "--now")
        now.expect(2, saying: "--now applies to access_signing_key")
        #expect(fixture.all("data_key") == [old])
    }

    // MARK: Failures

    private static let calls = ["renameat", "renameat2", "fsync", "fchmod", "write", "unlinkat"]

    @Test("a kill before any write loses no key, and another run finishes")
    func killed() throws {
        var kills = 0
        for name in ["jwt_access_secret", "access_signing_key"] {
            for call in Self.calls {
                for count in Array(1...8).sampled(every: 3) {
                    let fixture = try KeyFixture()
                    if name == "access_signing_key" { _ = try fixture.keys("rotate", name) }
                    let before = fixture.all(name)
                    let words = name == "access_signing_key" ? ["--now"] : []
                    let killed = try fixture.keys(["rotate", name] + words, through: Killing.at(call, count))
                    #expect(fixture.all(name).isSuperset(of: before), "\(name) \(call) \(count)")
                    #expect(throws: Never.self, "\(call) \(count): the server starts") { try fixture.configuration() }
                    guard killed.status == 137 else { break }
                    kills += 1
                    let again = try fixture.keys(["rotate", name] + words)
                    #expect(again.status == 0, "\(name) \(call) \(count): \(again.everything)")
                    #expect(fixture.all(name).isSuperset(of: before), "\(name) \(call) \(count)")
                    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
                    #expect(!names.contains { $0.hasPrefix(".") }, "\(names)")
                }
            }
        }
        #expect(
            kills >= (Need.areAllMet ? 20 : 8),
            "\(kills): two or three files are drafted, synced and renamed in each run")
    }

    @Test("changes nothing on a full disk", .enabled(if: SmallDisk.isPossible))
    func fullDisk() throws {
        let disk = try SmallDisk(kibibytes: 64)
        let fixture = try KeyFixture(at: disk.path)
        try disk.fill()
        let before = KeyFixture.names.map { fixture.text($0) }
        for name in KeyFixture.names {
            try fixture.keys("rotate", name).expect(3, saying: "No key was lost")
        }
        #expect(KeyFixture.names.map { fixture.text($0) } == before)
        #expect(KeyFixture.names.allSatisfy { fixture.list($0).entries.isEmpty })
    }

    @Test("refuses a key that is not in a file of its own, with the reason")
    func places() throws {
        let secret = "a-secret-in-the-environment-0123456789"
        let configuration = try fixture.tool.file("gatehouse.conf", "JWT_ACCESS_SECRET=\(secret)\n")
        let cases: [([String: String], String)] = [
            (["JWT_ACCESS_SECRET": secret], "JWT_ACCESS_SECRET is set in the environment"),
            (
                ["GATEHOUSE_CONFIG": configuration],
                "JWT_ACCESS_SECRET is set in the environment or in the configuration"
            ),
            (["JWT_ACCESS_SECRET_PREVIOUS": secret], "JWT_ACCESS_SECRET_PREVIOUS is set in the environment"),
            (["CREDENTIALS_DIRECTORY": ""], "JWT_ACCESS_SECRET is not set"),
            (
                ["CREDENTIALS_DIRECTORY": "", "JWT_ACCESS_SECRET_FILE": fixture.file("jwt_access_secret")],
                "set JWT_ACCESS_SECRET_PREVIOUS_FILE="
            ),
            (["JWT_ACCESS_SECRET_FILE": "/nowhere/secret"], "/nowhere"),
        ]
        let before = fixture.text("jwt_access_secret")
        for (changes, message) in cases {
            var changed = fixture
            changed.environment.merge(changes) { $1 }
            let outcome = try changed.keys("rotate", "jwt_access_secret")
            #expect(outcome.status > 1 && outcome.errorOutput.contains(message), "\(outcome.everything)")
            #expect(!outcome.everything.contains(secret))
            #expect(fixture.text("jwt_access_secret") == before && fixture.list("jwt_access_secret").entries.isEmpty)
        }
        #expect(try fixture.keys("rotate", "apple_private_key").errorOutput.contains("NAME must be one of"))
    }

    @Test(
        "names the key that signs access tokens instead of the given one",
        arguments: [
            ("access_signing_key", "gatehouse keys rotate jwt_access_secret"),
            ("jwt_access_secret", "gatehouse keys rotate access_signing_key"),
        ])
    func otherKey(name: String, advice: String) throws {
        try FileManager.default.removeItem(atPath: fixture.file(name))
        let outcome = try fixture.keys("rotate", name)
        #expect(outcome.status == 2 && outcome.errorOutput.contains(advice), "\(outcome.everything)")
        #expect(fixture.text(name).isEmpty)
    }

    @Test("refuses a secret that does not fit on one line", arguments: ["# abcdefgh", "two\nlines", ""])
    func shapes(text: String) throws {
        let written = text + " of-the-tests-0123456789-0123456789"
        for content in text.isEmpty ? ["", "\n"] : [written] {
            try content.write(toFile: fixture.file("jwt_refresh_secret"), atomically: true, encoding: .utf8)
            let outcome = try fixture.keys("rotate", "jwt_refresh_secret")
            #expect(outcome.status == 2 && !outcome.everything.contains("of-the-tests"), "\(outcome.everything)")
            #expect(try String(contentsOfFile: fixture.file("jwt_refresh_secret"), encoding: .utf8) == content)
        }
    }

    @Test("refuses to run at the same time as another rotation")
    func locked() throws {
        let lock = try #require(try FileLock.take(folder: fixture.folder))
        try fixture.keys("rotate", "data_key").expect(1, saying: "another gatehouse keys command")
        withExtendedLifetime(lock) {}
    }

    // MARK: Retiring

    @Test("without a current key, previous keys are still checked and retired")
    func withoutCurrent() throws {
        let name = "jwt_access_secret"
        try FileManager.default.removeItem(atPath: fixture.file(name))
        let old = "# replaced 2026-01-01T00:00:00Z\na-long-gone-secret-of-the-tests-0123456789\n"
        try old.write(toFile: fixture.file(name + "_previous"), atomically: true, encoding: .utf8)
        #expect(
            try fixture.tool.run(["check", "--offline"], fixture.environment).text.contains(
                "JWT_ACCESS_SECRET_PREVIOUS holds 1 key that no token needs any more"))
        try fixture.keys("retire", name).expect(0, printing: "removed")
        #expect(!FileManager.default.fileExists(atPath: fixture.file(name + "_previous")))
    }

    @Test("the check notes that the age of keys in the environment is unknown")
    func withoutFile() throws {
        var fixture = fixture
        fixture.environment["JWT_REFRESH_SECRET_PREVIOUS"] = "a-secret-in-the-environment-0123456789"
        let report = try fixture.tool.run(["check", "--offline"], fixture.environment)
        #expect(
            report.text.contains(
                "JWT_REFRESH_SECRET_PREVIOUS holds keys, but not in a file of its own, so their age is unknown"),
            "\(report.everything)")
    }

    @Test("a file that a setting names is written, and not removed when it becomes empty")
    func heading() throws {
        var fixture = fixture
        let (name, file) = ("jwt_access_secret", fixture.file("jwt_access_secret_previous"))
        fixture.environment["CREDENTIALS_DIRECTORY"] = nil
        for other in ["jwt_access_secret", "jwt_refresh_secret"] {
            fixture.environment[other.uppercased() + "_FILE"] = fixture.file(other)
        }
        fixture.environment["JWT_ACCESS_SECRET_PREVIOUS_FILE"] = file
        try fixture.keys("rotate", name).expect(0)
        #expect(fixture.list(name).entries.count == 1, "the file is created")
        let old = "# replaced 2026-01-01T00:00:00Z\na-long-gone-secret-of-the-tests-0123456789\n"
        try old.write(toFile: file, atomically: true, encoding: .utf8)
        try fixture.keys("retire", name).expect(0)
        #expect(fixture.text(name + "_previous") == "# previous keys of jwt_access_secret, newest first")
        try fixture.keys("rotate", name).expect(0)
        #expect(fixture.list(name).entries.count == 1)
        #expect(throws: Never.self) { try fixture.configuration() }
    }

    @Test("a server that runs according to systemd but does not answer is an error")
    func silentServer() throws {
        let source = SettingSource(variables: fixture.environment)
        #expect(try RunningServer.startedAt(source, units: { nil }) == nil)
        let stopped = Units(parsing: "Id=gatehouse.service\nMainPID=0\n")
        #expect(try RunningServer.startedAt(source, units: { stopped }) == nil)
        let running = Units(parsing: "Id=gatehouse.service\nMainPID=4711\n")
        let fault = #expect(throws: CommandError.self) { try RunningServer.startedAt(source, units: { running }) }
        #expect(fault?.message.contains("the server runs but does not answer at") == true)
    }

    @Test("retires only keys that are not needed, and removes a file without keys")
    func retire() throws {
        let name = "jwt_access_secret"
        _ = try fixture.keys("rotate", name)
        try fixture.keys("retire", name).expect(0, printing: "kept, it signed tokens that are valid until")
        #expect(fixture.list(name).entries.count == 1)
        let long = "a-long-gone-secret-of-the-tests-0123456789"
        let both = fixture.list(name).text + "# replaced 2026-01-01T00:00:00Z\n\(long)\n"
        try both.write(toFile: fixture.file(name + "_previous"), atomically: true, encoding: .utf8)
        #expect(
            try fixture.tool.run(["check", "--offline"], fixture.environment).text.contains(
                /note   previous keys +JWT_ACCESS_SECRET_PREVIOUS holds 1 key that no token needs any more/))
        let outcome = try fixture.keys("retire", name, "--json")
        let json = try #require(try JSONValue(parsing: outcome.output).object)
        #expect(json["restart"] == true && json["previous"]?.array?.count == 2)
        #expect(!fixture.all(name).contains(long) && fixture.list(name).entries.count == 1)
        let none = "# replaced 2026-01-01T00:00:00Z\n\(long)\n"
        try none.write(toFile: fixture.file(name + "_previous"), atomically: true, encoding: .utf8)
        #expect(try fixture.keys("retire", name).text.contains("removed"))
        #expect(!FileManager.default.fileExists(atPath: fixture.file(name + "_previous")))
        #expect(try fixture.keys("retire", name).text.contains("JWT_ACCESS_SECRET_PREVIOUS holds no key"))
    }
}
