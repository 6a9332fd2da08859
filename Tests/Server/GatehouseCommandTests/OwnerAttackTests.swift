import Foundation
import SQL
import SQLite
import TestSupport
import Testing

@Suite(
    "Attacks by the user of the service on commands of root", .enabled(if: geteuid() == 0, "only root can be misled"))
struct OwnerAttackTests {
    private static let attempts = Need.areAllMet ? 1000 : 100

    /// Swaps the unfinished copy.
    private static let swappingDrafts = """
        import ctypes
        libc, last = ctypes.CDLL(None), None
        watch = libc.inotify_init()
        libc.inotify_add_watch(watch, home.encode(), 0x100)
        while True:
            events = os.read(watch, 65536)
            while events:
                size = int.from_bytes(events[12:16], sys.byteorder)
                path = home + "/" + events[16:16 + size].rstrip(bytes(1)).decode()
                events = events[16 + size:]
                try:
                    if "/.gatehouse-backup-" not in path or os.path.islink(path): continue
                    if last: os.unlink(last)
                    last = None
                    os.unlink(path)
                    os.symlink(secret + "/authorized_keys", path)
                    last = path
                    swaps += 1
                except OSError: pass
        """

    /// Swaps the folder of backups.
    private static let swappingFolders = """
        folder, aside = home + "/backups", home + "/aside"
        os.mkdir(folder)
        while True:
            os.rename(folder, aside)
            os.symlink(secret, folder)
            for _ in range(200): os.path.islink(folder)
            os.unlink(folder)
            os.rename(aside, folder)
            swaps += 1
        """

    @Test("a link in place of an unfinished backup wins in none of many backups")
    func draft() throws {
        let fixture = try OwnerFixture()
        let attacker = try fixture.attack(Self.swappingDrafts)
        var runs = 0
        // Every twentieth run is delayed between the creation of the draft and its first byte.
        let slowly =
            ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=flock"] + [
                "-e", "inject=flock:delay_exit=200000",
            ]
        while runs < Self.attempts, try fixture.isUntouched() {
            _ = try Shell.outcome(
                of: (runs % 20 == 0 ? slowly : []) + [
                    Executable.gatehouse, "backup", "--force", fixture.home + "/x.db",
                ],
                environment: fixture.backups.environment)
            runs += 1
        }
        let swaps = OwnerFixture.swaps(of: attacker)
        #expect(try fixture.isUntouched(), "after \(runs) attempts")
        #expect(swaps >= Self.attempts / 50, "the attacker came in time: \(swaps) swaps in \(runs) attempts")
    }

    @Test("a link in place of the folder of backups wins in none of many backups")
    func folder() throws {
        let fixture = try OwnerFixture()
        let attacker = try fixture.attack(Self.swappingFolders)
        var runs = 0
        while runs < Self.attempts, try fixture.isUntouched() {
            let words = runs % 2 == 0 ? ["backup", "--force", "/x.db"] : ["backup", "--keep", "1", ""]
            _ = try fixture.backups.run(words.dropLast() + [fixture.home + "/backups" + words.last!])
            runs += 1
        }
        let swaps = OwnerFixture.swaps(of: attacker)
        #expect(try fixture.isUntouched(), "after \(runs) attempts")
        #expect(swaps >= Self.attempts)
    }

    @Test("a revocation counter that is a link is not followed", arguments: ["symbolic", "hard"])
    func sign(kind: String) throws {
        let fixture = try OwnerFixture()
        let file = try fixture.rootsFile("root:*:1\n")
        // If the owner may write to the file, permissions do not prevent the use of a hard link.
        let mode: mode_t = kind == "hard" ? 0o666 : 0o600
        chmod(file, mode)
        let sign = fixture.backups.database + "-sign"
        unlink(sign)
        #expect((kind == "hard" ? link(file, sign) : symlink(file, sign)) == 0)
        let tool = fixture.backups.tool
        for words in [["users", "disable", "user_ann"], ["sessions", "revoke", "sess_ann"], ["serve"]] {
            let settings = tool.settings(fixture.backups.environment)
            let outcome = try tool.run(words, settings)
            outcome.expect(3)
            #expect(outcome.errorOutput.contains("rm \(sign), and restart the server"), "\(outcome.errorOutput)")
            #expect(OwnerFixture.File(file).isRoots(containing: "root:*:1\n", mode: mode), "\(words)")
        }
        let check = try tool.run(["check", "--offline"], tool.settings(fixture.backups.environment))
        #expect(check.text.contains("\(sign) is a link to another file"), "\(check.everything)")
    }

    @Test("a lock, log or database that is a link to a file of root does not change that file")
    func otherLinks() throws {
        for name in ["-lock", "-wal", "-shm", "", "-restoring", "-restored"] {
            let fixture = try OwnerFixture()
            let file = try fixture.rootsFile("root:*:1\n")
            unlink(fixture.backups.database + name)
            #expect(symlink(file, fixture.backups.database + name) == 0)
            for words in [["migrate"], ["users", "list"], ["users", "disable", "user_ann"], ["check", "--offline"]] {
                _ = try fixture.backups.tool.run(words, fixture.backups.tool.settings(fixture.backups.environment))
                #expect(OwnerFixture.File(file).isRoots(containing: "root:*:1\n"), "\(name), \(words)")
            }
        }
    }

    @Test("a name in the database writes no control characters, even if an error of SQLite repeats it")
    func names() throws {
        let fixture = try OwnerFixture()
        let connection = try Connection(path: fixture.backups.database, access: .readWrite)
        try connection.execute(
            script: """
                PRAGMA writable_schema = ON;
                INSERT INTO sqlite_schema VALUES ('table', 'a' || char(27) || '[31mb', 'a', 0, 'broken');
                """)
        for words in [["users", "list"], ["backup", "-"], ["migrate"], ["check", "--offline"]] {
            let outcome = try fixture.backups.tool.run(
                words, fixture.backups.tool.settings(fixture.backups.environment))
            #expect(!outcome.everything.contains("\u{1B}"), "\(words)")
            #expect(outcome.everything.contains("a\\u{1b}[31mb"), "\(words): \(outcome.everything)")
        }
    }

    @Test("a backup that is a link to a file of root is not read")
    func restoredLink() throws {
        let fixture = try OwnerFixture()
        let other = try BackupFixture(users: ["root"])
        let file = try other.backUp()
        chmod(other.tool.folder.path, 0o700)
        #expect(symlink(file, fixture.home + "/backup.db") == 0)
        try fixture.backups.run("restore", fixture.home + "/backup.db").expect(3, saying: "may not read")
        #expect(try fixture.backups.users() == ["ann"])
    }
}
