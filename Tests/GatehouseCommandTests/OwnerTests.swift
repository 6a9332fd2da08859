import Foundation
import TestSupport
import Testing

@Suite("A command of root's works as the owner of the database", .enabled(if: geteuid() == 0, "root alone can change"))
struct OwnerTests {
    private let stand: OwnerStand

    init() throws {
        stand = try OwnerStand(users: (0..<400).map { "user\($0)" })
    }

    private func run(_ words: [String], _ environment: [String: String] = [:]) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["/usr/bin/timeout", "60", Executable.gatehouse] + words,
            environment: stand.stand.environment.merging(environment) { $1 })
    }

    private func run(_ words: String...) throws -> Shell.Outcome { try run(words) }

    /// Types what a message says.
    private func type(_ line: Substring) throws -> Shell.Outcome {
        let folder = URL(fileURLWithPath: Executable.gatehouse).deletingLastPathComponent().path
        let environment = stand.stand.environment.merging(["PATH": folder + ":/usr/bin:/bin"]) { $1 }
        return try Shell.outcome(of: ["/bin/sh", "-c", String(line)], environment: environment)
    }

    /// What the kernel says of every thread of a process has nothing of root's in it.
    private func expectPowerless(_ process: pid_t, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let user = "\(OwnerStand.user)"
        // Of a process that may be traced, or dumped, it would be the user's.
        #expect(OwnerStand.File("/proc/\(process)/environ").status.st_uid == 0, sourceLocation: sourceLocation)
        // Extra threads of a server end whenever they like; its first one stays.
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

    @Test("with no way back: no id, group or capability of root's is left while it works")
    func command() throws {
        // The pipe holds less than the backup, so the command waits.
        let (output, errors) = (try Spawn.pipe(), try Spawn.pipe())
        let process = try Spawn.run(
            [Executable.gatehouse, "backup", "-"], environment: stand.stand.environment,
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

    @Test("and so does serve, on a socket that root has opened for it where only root can")
    func serve() throws {
        let tool = stand.stand.tool
        let socket = tool.folder.file("s")
        let settings = tool.settings(stand.stand.environment)
        // The folder gives its group to what is made in it: nginx's, which has to connect.
        let groupOfNginx: gid_t = 33
        chown(tool.folder.path, 0, groupOfNginx)
        chmod(tool.folder.path, 0o2755)
        let server = try tool.start(["serve"], settings)
        let tasks = "/proc/\(server.identifier)/task"
        #expect(Eventually.holds { (try? FileManager.default.contentsOfDirectory(atPath: tasks).count) ?? 0 > 4 })
        try expectPowerless(server.identifier)
        let status = OwnerStand.File(socket).status
        #expect(status.st_uid == OwnerStand.user && status.st_gid == groupOfNginx && status.st_mode & 0o777 == 0o660)
        #expect(try run("users", "disable", "user_user1").status == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: stand.home) {
            let status = OwnerStand.File(stand.home + "/" + name).status
            #expect(status.st_uid == OwnerStand.user && status.st_gid == OwnerStand.user, "\(name)")
        }
        let check = try tool.run(["check", "--offline"], settings)
        #expect(check.text.contains(/ok +integrity/), "\(check.everything)")
        #expect(!check.text.contains("nobody listens"), "\(check.everything)")
        server.stop()
        #expect(server.exitStatus == 0, "\(server.log)")
        let next = try tool.start(["serve"], settings)
        #expect(
            Eventually.holds { next.log.split(separator: "\n").count { $0.contains("\"listening\"") } == 2 },
            "\(next.log)")
        next.stop()
        #expect(next.exitStatus == 0, "a socket that was left behind is replaced: \(next.log)")
    }

    @Test("refuses a backup into a folder of root's with a line that makes one, from wherever it is typed")
    func backup() throws {
        let target = stand.secret + "/b's.db"
        let refused = try run("backup", target)
        #expect(refused.status == 3 && refused.text.isEmpty)
        let line = try #require(refused.complaint.split(separator: "\n").first?.firstRange(of: "(umask"))
        let typed = try type(refused.complaint[line.lowerBound...])
        #expect(typed.status == 0, "\(typed.complaint)")
        #expect(typed.text.isEmpty && typed.complaint.contains(/users +400/), "the report goes where no copy goes")
        #expect(OwnerStand.File(target).status.st_mode & 0o777 == 0o600)
        #expect(try BackupStand.users(in: target).count == 400)
        #expect(try run("restore", target).status == 0, "root's own file is read")
        #expect(try type(refused.complaint[line.lowerBound...]).status != 0, "a file that is there stays")
        #expect(try BackupStand.users(in: target).count == 400)
        let relative = try type("cd \(stand.secret) && gatehouse backup here.db")
        #expect(relative.complaint.contains("(umask 077; set -C; gatehouse backup - >\(stand.secret)/here.db)"))
        #expect(try type("cd \(stand.secret) && gatehouse backup ../home/there.db").status == 0)
        #expect(try type("cd \(stand.secret) && gatehouse restore ../home/there.db").status == 0)
        let sudo = try run(["backup", "--force", "/root/x.db"], ["SUDO_USER": "anna"])
        #expect(sudo.complaint.contains("sudo sh -c 'umask 077; gatehouse backup - >/root/x.db'"), "\(sudo.complaint)")
    }

    @Test("refuses a folder of backups that is root's with a line that makes it the owner's")
    func keep() throws {
        let target = stand.stand.file("backups")
        #expect(try type("mkdir -m 755 \(target)").status == 0)
        let refused = try run("backup", "--keep", "2", target)
        #expect(refused.status == 3)
        let line = try #require(refused.complaint.firstRange(of: "install -d"))
        #expect(try type(refused.complaint[line.lowerBound...]).status == 0, "\(refused.complaint)")
        #expect(try run("backup", "--keep", "2", target).status == 0)
        let closed = try run("backup", "--keep", "2", stand.secret + "/backups")
        #expect(closed.status == 3 && closed.complaint.contains("/var/backups/gatehouse"), "\(closed.complaint)")
    }

    @Test("writes a backup to standard output alone, and to no terminal")
    func stream() throws {
        #expect(try run("backup", "-", "--force").status == 2)
        #expect(try run("backup", "-", "--keep", "3").status == 2)
        let onTerminal = try Shell.outcome(
            of: ["script", "-qec", "\(Executable.gatehouse) backup -", "/dev/null"],
            environment: stand.stand.environment)
        #expect(onTerminal.status == 2 && onTerminal.text.contains("nothing for a terminal"))
        let full = try type("gatehouse backup - >/dev/full")
        #expect(full.status == 3 && full.complaint.contains("standard output"), "\(full.complaint)")
        try BackupStand.damage(stand.stand.database, at: 4096, count: 8192)
        let damaged = try run("backup", "-")
        #expect(damaged.status == 3 && damaged.text.isEmpty)
        #expect(try stand.stand.names().allSatisfy { !$0.hasPrefix(".") }, "the copy beside the database is gone")
    }

    @Test("restores from standard input, and says so where the owner may not read a file")
    func restore() throws {
        let other = stand.stand.file("other")
        #expect(try type("(umask 077; mkdir \(other) && gatehouse backup - >\(other)/x.db)").status == 0)
        chown(other, 12_345, 12_345)
        let refused = try run("restore", other + "/x.db")
        let line = try #require(refused.complaint.firstRange(of: "gatehouse restore -"))
        #expect(refused.status == 3)
        #expect(try type(refused.complaint[line.lowerBound...]).status == 0)
        #expect(try type("head -c 100 \(other)/x.db | gatehouse restore -").status == 1)
        let sudo = try run(["restore", other + "/x.db"], ["SUDO_USER": "anna"])
        #expect(sudo.complaint.contains("sudo sh -c 'gatehouse restore - <\(other)/x.db'"), "\(sudo.complaint)")
        let onTerminal = try Shell.outcome(
            of: ["/usr/bin/timeout", "60", "script", "-qec", "\(Executable.gatehouse) restore -", "/dev/null"],
            environment: stand.stand.environment)
        #expect(onTerminal.status == 2 && onTerminal.text.contains("is a terminal"), "\(onTerminal.text)")
    }

    @Test("names the folder that decided where its owner may not open another user's database, and what to type")
    func thirdUser() throws {
        let outer = stand.stand.file("outer")
        #expect(try type("mkdir \(outer) && mv \(stand.home) \(outer)/inner && chmod 700 \(outer)/inner").status == 0)
        chown(outer, 12_345, 12_345)
        let database = ["DATABASE_URL": "sqlite:\(outer)/inner/gatehouse.db"]
        let name = String(cString: getpwuid(OwnerStand.user).pointee.pw_name)
        for words in [["users", "list"], ["backup", "-"], ["migrate"], ["restore", "/dev/null"]] {
            let outcome = try run(words, database)
            #expect(outcome.status == 3, "\(words)")
            for part in ["12345, who owns \(outer),", "runuser -u \(name) -- gatehouse", "chown -h root \(outer)"] {
                #expect(outcome.complaint.contains(part), "\(words): \(outcome.complaint)")
            }
        }
        chown(outer, 0, 0)
        #expect(try run(["users", "list"], database).status == 0)
    }

    @Test(
        "and opens nothing where a privilege is left, or cannot be read back",
        arguments: [
            (["trace=capset", "inject=capset:retval=0"], "capabilities"),
            (["trace=prctl", "inject=prctl:retval=0"], "no_new_privs"),
            (["trace=openat", "inject=openat:error=EACCES"], "/proc/self/task"),
        ])
    func privileges(faults: [String], reason: String) throws {
        let options = faults.flatMap { ["-e", $0] } + (reason.hasPrefix("/") ? ["-P", reason] : [])
        let securebits = ["setpriv", "--securebits", "+no_setuid_fixup"]
        let outcome = try stand.stand.run(
            ["users", "list"],
            through: ["strace", "-f", "-qq", "-o", "/dev/null"] + options + (reason == "capabilities" ? securebits : [])
        )
        #expect(outcome.status == 3 && outcome.text.isEmpty)
        #expect(outcome.complaint.contains(reason), "\(outcome.complaint)")
    }

    @Test("says that there is no database where a folder on the way is missing, and makes none")
    func missing() throws {
        let missing = ["DATABASE_URL": "sqlite:" + stand.stand.file("no/where.db")]
        for words in [["users", "list"], ["migrate"], ["backup", "-"]] {
            let outcome = try run(words, missing)
            #expect(outcome.status == 3 && outcome.complaint.contains("there is no database"), "\(outcome.complaint)")
        }
        #expect(!FileManager.default.fileExists(atPath: stand.stand.file("no")))
    }

    @Test("and stays root where all is root's, but not in a folder that others can write to")
    func shared() throws {
        let root = try BackupStand()
        for mode in [0o777, 0o770, 0o1777] as [mode_t] {
            chown(root.home, 0, 12_345)
            chmod(root.home, mode)
            for words in [["migrate"], ["users", "list"], ["backup", root.file("x.db")]] {
                let outcome = try root.tool.run(words, root.environment)
                #expect(outcome.status == 3 && outcome.complaint.contains("chmod go-w \(root.home)"), "\(words)")
            }
        }
        chmod(root.home, 0o700)
        #expect(try root.run("backup", root.home + "/x.db").status == 0)
        let foreign = try root.run("backup", stand.home + "/x.db")
        #expect(foreign.status == 3 && foreign.complaint.contains("controls what is at"), "\(foreign.complaint)")
        let line = try #require(foreign.complaint.firstRange(of: "gatehouse backup -"))
        #expect(foreign.complaint[line.lowerBound...].contains("runuser -u"))
        #expect(try root.run("backup", "--keep", "3", stand.home).status == 3)
    }
}
