import Foundation
import TestSupport

/// A database in a folder of the service's user, a folder that only root may enter, and commands of both users.
struct OwnerFixture {
    /// The id of an unprivileged system account, which owns no files.
    static let user: uid_t = 65_534

    let backups: BackupFixture
    /// A folder that only root may enter, with a file.
    let secret: String
    var home: String { backups.home }
    var keys: String { secret + "/authorized_keys" }
    private var sentinel: String { secret + "/gatehouse-2020-01-01T000000Z.db" }

    init(users: [String] = ["ann"]) throws {
        backups = try BackupFixture(users: users)
        secret = backups.file("secret")
        try FileManager.default.createDirectory(atPath: secret, withIntermediateDirectories: true)
        chmod(secret, 0o700)
        chmod(backups.tool.folder.path, 0o755)
        chmod(home, 0o755)
        try "root's".write(toFile: sentinel, atomically: true, encoding: .utf8)
        chmod(sentinel, 0o600)
        for name in try FileManager.default.contentsOfDirectory(atPath: home) {
            chown(home + "/" + name, Self.user, Self.user)
        }
        chown(home, Self.user, Self.user)
    }

    /// Wraps a command so that the user runs it.
    static func asUser(_ command: [String]) -> [String] {
        ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"] + command
    }

    /// Whether the folder of root is unchanged.
    func isUntouched() throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: secret) == [File(sentinel).name]
            && File(sentinel).isRoots(containing: "root's")
    }

    /// A file that only root may read.
    func rootsFile(_ content: String) throws -> String {
        let path = backups.file("shadow")
        try content.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o600)
        return path
    }

    struct File {
        let path: String

        init(_ path: String) { self.path = path }

        var name: String { String(path.split(separator: "/").last ?? "") }

        var status: stat {
            var status = stat()
            lstat(path, &status)
            return status
        }

        func isRoots(containing text: String, mode: mode_t = 0o600) -> Bool {
            FileManager.default.contents(atPath: path) == Data(text.utf8)
                && status.st_uid == 0 && status.st_gid == 0 && status.st_mode & 0o7777 == mode
        }
    }

    /// Starts an attacker who swaps a file in a loop until it is stopped, and then prints the number of swaps.
    func attack(_ script: String) throws -> ChildProcess {
        let program = """
            import os, signal, sys
            home, secret, swaps = sys.argv[1], sys.argv[2], 0
            def end(*_):
                print(swaps, flush=True)
                os._exit(0)
            signal.signal(signal.SIGTERM, end)
            print("ready", flush=True)

            """ + script
        let attacker = try ChildProcess(
            Self.asUser(["python3", "-c", program, home, secret]), environment: [:], log: backups.file("attacker"))
        guard Eventually.holds({ attacker.log.contains("ready") }) else {
            throw Spawn.Failure(description: "the attacker did not start: \(attacker.log)")
        }
        return attacker
    }

    /// Stops the attacker, and returns the number of swaps.
    static func swaps(of attacker: ChildProcess) -> Int {
        attacker.stop()
        return attacker.log.split(separator: "\n").compactMap { Int($0) }.last ?? 0
    }
}
