import Foundation
import SQLite
import TestSupport
import Testing

@Suite("What a service's user leaves for root to act on", .enabled(if: geteuid() == 0, "only root can be misled"))
struct OwnerAttackTests {
    /// Of the unfinished copy.
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

    /// Of the folder of backups.
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

    @Test("a link in the place of an unfinished backup wins in none of 1000 backups")
    func draft() throws {
        let stand = try OwnerStand()
        let attacker = try stand.attack(Self.swappingDrafts)
        var runs = 0
        // Every twentieth is held up for a moment between the making of the draft and its first byte.
        let slowly =
            ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=flock"] + [
                "-e", "inject=flock:delay_exit=20000",
            ]
        while runs < 1000, try stand.isUntouched() {
            _ = try Shell.outcome(
                of: (runs % 20 == 0 ? slowly : []) + [Executable.gatehouse, "backup", "--force", stand.home + "/x.db"],
                environment: stand.stand.environment)
            runs += 1
        }
        let swaps = OwnerStand.swaps(of: attacker)
        #expect(try stand.isUntouched(), "after \(runs) attempts")
        #expect(swaps >= 20, "the attacker came in time: \(swaps) swaps in \(runs) attempts")
    }

    @Test("a link in the place of the folder of backups wins in none of 1000 backups")
    func folder() throws {
        let stand = try OwnerStand()
        let attacker = try stand.attack(Self.swappingFolders)
        var runs = 0
        while runs < 1000, try stand.isUntouched() {
            let words = runs % 2 == 0 ? ["backup", "--force", "/x.db"] : ["backup", "--keep", "1", ""]
            _ = try stand.stand.run(words.dropLast() + [stand.home + "/backups" + words.last!])
            runs += 1
        }
        let swaps = OwnerStand.swaps(of: attacker)
        #expect(try stand.isUntouched(), "after \(runs) attempts")
        #expect(swaps >= 1000)
    }

    @Test("a sign of revocations that is a link is not followed", arguments: ["symbolic", "hard"])
    func sign(kind: String) throws {
        let stand = try OwnerStand()
        let file = try stand.rootsFile("root:*:1\n")
        // Where the owner may write to the file, its permissions do not keep a hard link from being used.
        let mode: mode_t = kind == "hard" ? 0o666 : 0o600
        chmod(file, mode)
        let sign = stand.stand.database + "-sign"
        unlink(sign)
        #expect((kind == "hard" ? link(file, sign) : symlink(file, sign)) == 0)
        let tool = stand.stand.tool
        for words in [["users", "disable", "user_ann"], ["sessions", "revoke", "sess_ann"], ["serve"]] {
            let settings = tool.settings(stand.stand.environment)
            let outcome = try tool.run(words, settings)
            #expect(outcome.status == 3, "\(outcome.complaint)")
            #expect(outcome.complaint.contains("rm \(sign), and restart the server"), "\(outcome.complaint)")
            #expect(OwnerStand.File(file).isRoots(containing: "root:*:1\n", mode: mode), "\(words)")
        }
        let check = try tool.run(["check", "--offline"], tool.settings(stand.stand.environment))
        #expect(check.text.contains("\(sign) is a link to another file"), "\(check.everything)")
    }

    @Test("a lock, a log or a database that is a link to a file of root's is not changed")
    func otherLinks() throws {
        for name in ["-lock", "-wal", "-shm", "", "-restoring", "-restored"] {
            let stand = try OwnerStand()
            let file = try stand.rootsFile("root:*:1\n")
            unlink(stand.stand.database + name)
            #expect(symlink(file, stand.stand.database + name) == 0)
            for words in [["migrate"], ["users", "list"], ["users", "disable", "user_ann"], ["check", "--offline"]] {
                _ = try stand.stand.tool.run(words, stand.stand.tool.settings(stand.stand.environment))
                #expect(OwnerStand.File(file).isRoots(containing: "root:*:1\n"), "\(name), \(words)")
            }
        }
    }

    @Test("a name in the database moves no cursor, also where SQLite repeats it in a complaint")
    func names() throws {
        let stand = try OwnerStand()
        let connection = try Connection(path: stand.stand.database, access: .readWrite)
        try connection.execute(
            script: """
                PRAGMA writable_schema = ON;
                INSERT INTO sqlite_schema VALUES ('table', 'a' || char(27) || '[31mb', 'a', 0, 'broken');
                """)
        for words in [["users", "list"], ["backup", "-"], ["migrate"], ["check", "--offline"]] {
            let outcome = try stand.stand.tool.run(words, stand.stand.tool.settings(stand.stand.environment))
            #expect(!outcome.everything.contains("\u{1B}"), "\(words)")
            #expect(outcome.everything.contains("a\\u{1b}[31mb"), "\(words): \(outcome.everything)")
        }
    }

    @Test("a backup of the service's that is a link to a file of root's is not read for them")
    func restoredLink() throws {
        let stand = try OwnerStand()
        let other = try BackupStand(users: ["root"])
        let file = try other.backUp()
        chmod(other.tool.folder.path, 0o700)
        #expect(symlink(file, stand.home + "/backup.db") == 0)
        let outcome = try stand.stand.run("restore", stand.home + "/backup.db")
        #expect(outcome.status == 3 && outcome.complaint.contains("may not read"), "\(outcome.complaint)")
        #expect(try stand.stand.users() == ["ann"])
    }
}
