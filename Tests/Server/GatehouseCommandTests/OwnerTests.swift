import Foundation
import TestSupport
import Testing

@Suite(
    "A command that root runs works as the owner of the database", .enabled(if: geteuid() == 0, "root alone can change")
)
struct OwnerTests {
    private let fixture: OwnerFixture

    init() throws {
        fixture = try OwnerFixture(users: (0..<400).map { "user\($0)" })
    }

    private func run(_ words: [String], _ environment: [String: String] = [:]) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["/usr/bin/timeout", "60", Executable.gatehouse] + words,
            environment: fixture.backups.environment.merging(environment) { $1 })
    }

    private func run(_ words: String...) throws -> Shell.Outcome { try run(words) }

    /// Runs the command that a message contains.
    private func type(_ line: Substring) throws -> Shell.Outcome {
        let folder = URL(fileURLWithPath: Executable.gatehouse).deletingLastPathComponent().path
        let environment = fixture.backups.environment.merging(["PATH": folder + ":/usr/bin:/bin"]) { $1 }
        return try Shell.outcome(of: ["/bin/sh", "-c", String(line)], environment: environment)
    }

    /// Expects that no thread of a process has a privilege of root.
    private func expectPowerless(_ process: pid_t, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let user = "\(OwnerFixture.user)"
        // These files belong to root if the process can be neither traced nor dumped.
        #expect(OwnerFixture.File("/proc/\(process)/environ").status.st_uid == 0, sourceLocation: sourceLocation)
        // Extra threads may end at any time; the first thread stays.
        _ = try String(contentsOfFile: "/proc/\(process)/task/\(process)/status", encoding: .utf8)
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task") {
            let path = "/proc/\(process)/task/\(thread)/status"
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
            func words(_ name: String) -> [String] {
                let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
                return line.split { $0 == "\t" || $0 == " " }.dropFirst().map(String.init)
            }
            for name in ["Uid", "Gid"] {
                #expect(words(name) == [user, user, user, user], "\(name)", sourceLocation: sourceLocation)
            }
            #expect(words("Groups") == [user], sourceLocation: sourceLocation)
            for name in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
                #expect(words(name) == ["0000000000000000"], "\(name)", sourceLocation: sourceLocation)
            }
            #expect(words("NoNewPrivs") == ["1"], sourceLocation: sourceLocation)
        }
    }

    @Test("and keeps no id, group or capability of root")
    func command() throws {
        // The pipe holds less than the backup, so the command waits.
        let (output, errors) = (try Spawn.pipe(), try Spawn.pipe())
        let process = try Spawn.run(
            [Executable.gatehouse, "backup", "-"], environment: fixture.backups.environment,
            streams: (0, output.write, errors.write))
        for end in [output.write, errors.write] { close(end) }
        var interest = pollfd(fd: output.read, events: Int16(POLLIN), revents: 0)
        #expect(poll(&interest, 1, 60_000) == 1)
        try expectPowerless(process)
        #expect(Spawn.readAll(output.read).starts(with: Array("SQLite format 3".utf8)))
        var status: Int32 = 0
        waitpid(process, &status, 0)
        for end in [output.read, errors.read] { close(end) }
        #expect(Spawn.status(of: status) == 0)
    }

    @Test("and so does serve, with a socket that root opened if only root can")
    func serve() throws {
        let tool = fixture.backups.tool
        let socket = tool.folder.file("s")
        let settings = tool.settings(fixture.backups.environment)
        // A setgid folder gives its group to the socket, for nginx.
        let groupOfNginx: gid_t = 33
        chown(tool.folder.path, 0, groupOfNginx)
        chmod(tool.folder.path, 0o2755)
        let server = try tool.start(["serve"], settings)
        let tasks = "/proc/\(server.identifier)/task"
        #expect(Eventually.holds { (try? FileManager.default.contentsOfDirectory(atPath: tasks).count) ?? 0 > 4 })
        try expectPowerless(server.identifier)
        let status = OwnerFixture.File(socket).status
        #expect(status.st_uid == OwnerFixture.user && status.st_gid == groupOfNginx && status.st_mode & 0o777 == 0o660)
        try run("users", "disable", "user_user1").expect(0)
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.home) {
            let status = OwnerFixture.File(fixture.home + "/" + name).status
            #expect(status.st_uid == OwnerFixture.user && status.st_gid == OwnerFixture.user, "\(name)")
        }
        let check = try tool.run(["check", "--offline"], settings)
        #expect(check.text.contains(/ok +integrity/), "\(check.everything)")
        #expect(!check.text.contains("no server listens"), "\(check.everything)")
        server.stop()
        #expect(server.exitStatus == 0, "\(server.log)")
        let next = try tool.start(["serve"], settings)
        #expect(
            Eventually.holds { next.log.split(separator: "\n").count { $0.contains("\"listening\"") } == 2 },
            "\(next.log)")
        next.stop()
        #expect(next.exitStatus == 0, "a socket that was left behind is replaced: \(next.log)")
    }

    @Test("refuses a backup into a folder of root, with a command that works from any folder")
    func backup() throws {
        let target = fixture.secret + "/b's.db"
        let refused = try run("backup", target)
        refused.expectRefusal(3)
        let line = try #require(refused.errorOutput.split(separator: "\n").first?.firstRange(of: "(umask"))
        let typed = try type(refused.errorOutput[line.lowerBound...])
        typed.expect(0)
        #expect(typed.text.isEmpty && typed.errorOutput.contains(/users +400/), "the report goes where no copy goes")
        #expect(OwnerFixture.File(target).status.st_mode & 0o777 == 0o600)
        #expect(try BackupFixture.users(in: target).count == 400)
        #expect(try run("restore", target).status == 0, "root's own file is read")
        #expect(try type(refused.errorOutput[line.lowerBound...]).status != 0, "a file that is there stays")
        #expect(try BackupFixture.users(in: target).count == 400)
        let relative = try type("cd \(fixture.secret) && gatehouse backup here.db")
        #expect(relative.errorOutput.contains("(umask 077; set -C; gatehouse backup - >\(fixture.secret)/here.db)"))
        #expect(try type("cd \(fixture.secret) && gatehouse backup ../home/there.db").status == 0)
        #expect(try type("cd \(fixture.secret) && gatehouse restore ../home/there.db").status == 0)
        let sudo = try run(["backup", "--force", "/root/x.db"], ["SUDO_USER": "anna"])
        #expect(
            sudo.errorOutput.contains("sudo sh -c 'umask 077; gatehouse backup - >/root/x.db'"), "\(sudo.errorOutput)")
    }

    @Test("refuses a folder of backups that root owns, with a command that gives it to the owner")
    func keep() throws {
        let target = fixture.backups.file("backups")
        try type("mkdir -m 755 \(target)").expect(0)
        let refused = try run("backup", "--keep", "2", target)
        #expect(refused.status == 3)
        let line = try #require(refused.errorOutput.firstRange(of: "install -d"))
        #expect(try type(refused.errorOutput[line.lowerBound...]).status == 0, "\(refused.errorOutput)")
        try run("backup", "--keep", "2", target).expect(0)
        try run("backup", "--keep", "2", fixture.secret + "/backups").expect(3, saying: "/var/backups/gatehouse")
    }

    @Test("writes a backup to standard output, but not to a terminal")
    func stream() throws {
        #expect(try run("backup", "-", "--force").status == 2 && run("backup", "-", "--keep", "3").status == 2)
        let onTerminal = try Shell.outcome(
            of: ["script", "-qec", "\(Executable.gatehouse) backup -", "/dev/null"],
            environment: fixture.backups.environment)
        onTerminal.expect(2, printing: "standard output (-) is a terminal")
        try type("gatehouse backup - >/dev/full").expect(3, saying: "standard output")
        try BackupFixture.damage(fixture.backups.database, at: 4096, count: 8192)
        try run("backup", "-").expectRefusal(3)
        #expect(try fixture.backups.names().allSatisfy { !$0.hasPrefix(".") }, "the copy beside the database is gone")
    }

    @Test("restores from standard input, which it advises if the owner may not read a file")
    func restore() throws {
        let other = fixture.backups.file("other")
        #expect(try type("(umask 077; mkdir \(other) && gatehouse backup - >\(other)/x.db)").status == 0)
        chown(other, 12_345, 12_345)
        let refused = try run("restore", other + "/x.db")
        let line = try #require(refused.errorOutput.firstRange(of: "gatehouse restore -"))
        #expect(refused.status == 3)
        try type(refused.errorOutput[line.lowerBound...]).expect(0)
        try type("head -c 100 \(other)/x.db | gatehouse restore -").expect(1)
        let sudo = try run(["restore", other + "/x.db"], ["SUDO_USER": "anna"])
        #expect(sudo.errorOutput.contains("sudo sh -c 'gatehouse restore - <\(other)/x.db'"), "\(sudo.errorOutput)")
        let onTerminal = try Shell.outcome(
            of: ["/usr/bin/timeout", "60", "script", "-qec", "\(Executable.gatehouse) restore -", "/dev/null"],
            environment: fixture.backups.environment)
        onTerminal.expect(2, printing: "is a terminal")
    }

    @Test("names the folder whose owner may not open the database, with advice")
    func thirdUser() throws {
        let outer = fixture.backups.file("outer")
        #expect(try type("mkdir \(outer) && mv \(fixture.home) \(outer)/inner && chmod 700 \(outer)/inner").status == 0)
        chown(outer, 12_345, 12_345)
        let database = ["DATABASE_URL": "sqlite:\(outer)/inner/gatehouse.db"]
        let name = String(cString: getpwuid(OwnerFixture.user).pointee.pw_name)
        for words in [["users", "list"], ["backup", "-"], ["migrate"], ["restore", "/dev/null"]] {
            let outcome = try run(words, database)
            #expect(outcome.status == 3, "\(words)")
            for part in ["12345, the owner of \(outer),", "runuser -u \(name) -- gatehouse", "chown -h root \(outer)"] {
                #expect(outcome.errorOutput.contains(part), "\(words): \(outcome.errorOutput)")
            }
        }
        chown(outer, 0, 0)
        try run(["users", "list"], database).expect(0)
    }

    @Test(
        "and opens no file if a privilege is left or cannot be read back",
        arguments: [
            (["trace=capset", "inject=capset:retval=0"], "capabilities"),
            (["trace=prctl", "inject=prctl:retval=0"], "no_new_privs"),
            (["trace=openat", "inject=openat:error=EACCES"], "/proc/self/task"),
        ])
    func privileges(faults: [String], reason: String) throws {
        let options = faults.flatMap { ["-e", $0] } + (reason.hasPrefix("/") ? ["-P", reason] : [])
        let securebits = ["setpriv", "--securebits", "+no_setuid_fixup"]
        let outcome = try fixture.backups.run(
            ["users", "list"],
            through: ["strace", "-f", "-qq", "-o", "/dev/null"] + options + (reason == "capabilities" ? securebits : [])
        )
        outcome.expectRefusal(3)
        #expect(outcome.errorOutput.contains(reason), "\(outcome.errorOutput)")
    }

    @Test("reports a missing database if a folder on the path is missing, and creates none")
    func missing() throws {
        let missing = ["DATABASE_URL": "sqlite:" + fixture.backups.file("no/where.db")]
        for words in [["users", "list"], ["migrate"], ["backup", "-"]] {
            try run(words, missing).expect(3, saying: "does not exist, nor does its folder")
        }
        #expect(!FileManager.default.fileExists(atPath: fixture.backups.file("no")))
    }

    @Test("and stays root if root owns everything, except in a folder that others can write to")
    func shared() throws {
        let root = try BackupFixture()
        for mode in [0o777, 0o770, 0o1777] as [mode_t] {
            chown(root.home, 0, 12_345)
            chmod(root.home, mode)
            for words in [["migrate"], ["users", "list"], ["backup", root.file("x.db")]] {
                let outcome = try root.tool.run(words, root.environment)
                #expect(outcome.status == 3 && outcome.errorOutput.contains("chmod go-w \(root.home)"), "\(words)")
            }
        }
        chmod(root.home, 0o700)
        try root.run("backup", root.home + "/x.db").expect(0)
        let foreign = try root.run("backup", fixture.home + "/x.db")
        foreign.expect(3, saying: "controls what is at")
        let line = try #require(foreign.errorOutput.firstRange(of: "gatehouse backup -"))
        #expect(foreign.errorOutput[line.lowerBound...].contains("runuser -u"))
        try root.run("backup", "--keep", "3", fixture.home).expect(3)
    }
}

/// The server's user owns the folder; root runs the commands of an operator.
@Suite("Commands of root on another user's database", .enabled(if: getuid() == 0))
struct RootTests {
    private static let user: uid_t = 23_456

    private func asUser(_ command: [String]) -> [String] {
        ["setpriv", "--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups"] + command
    }

    private func expectOwned(_ fixture: BackupFixture) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.home) {
            let status = OwnerFixture.File(fixture.home + "/" + name).status
            #expect(status.st_uid == Self.user && status.st_gid == Self.user, "\(name)")
        }
    }

    @Test("create files of the owner: migrate, backup, restore and check")
    func ownership() throws {
        let fixture = try BackupFixture()
        let backup = try fixture.backUp()
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.home) {
            try FileManager.default.removeItem(atPath: fixture.home + "/" + name)
        }
        chmod(fixture.tool.folder.path, 0o755)
        chown(fixture.home, Self.user, Self.user)
        try fixture.run("migrate").expect(0)
        try expectOwned(fixture)
        try fixture.run("restore", backup).expect(0)
        try fixture.run("users", "disable", "user_ann").expect(0)
        try fixture.run("backup", fixture.home + "/x.db").expect(0)
        try fixture.run("restore", fixture.home + "/x.db").expect(0)
        try expectOwned(fixture)
        try fixture.run("users", "list", through: asUser([])).expect(0)
        try fixture.run("users", "enable", "user_ann", through: asUser([])).expect(0)
        try fixture.run("restore", fixture.home + "/x.db", through: asUser([])).expect(0)
    }
}
