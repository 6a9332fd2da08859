import Foundation
import TestSupport

/// A database in a folder of a service's user, a folder that only root may enter, and what root and that user do there.
struct OwnerStand {
    /// nobody's number: no user of this machine has files of this one.
    static let user: uid_t = 65_534

    let stand: BackupStand
    /// Root's alone, with a file in it.
    let secret: String
    var home: String { stand.home }
    var keys: String { secret + "/authorized_keys" }
    private var sentinel: String { secret + "/gatehouse-2020-01-01T000000Z.db" }

    init(users: [String] = ["ann"]) throws {
        stand = try BackupStand(users: users)
        secret = stand.file("secret")
        try FileManager.default.createDirectory(atPath: secret, withIntermediateDirectories: true)
        chmod(secret, 0o700)
        chmod(stand.tool.folder.path, 0o755)
        chmod(home, 0o755)
        try "root's".write(toFile: sentinel, atomically: true, encoding: .utf8)
        chmod(sentinel, 0o600)
        for name in try FileManager.default.contentsOfDirectory(atPath: home) {
            chown(home + "/" + name, Self.user, Self.user)
        }
        chown(home, Self.user, Self.user)
    }

    /// The command in front of another one that has the user run it.
    static func asUser(_ command: [String]) -> [String] {
        ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"] + command
    }

    /// Whether root's folder holds nothing but what was there, as it was.
    func isUntouched() throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: secret) == [File(sentinel).name]
            && File(sentinel).isRoots(containing: "root's")
    }

    /// A file of root's, that no other user may read.
    func rootsFile(_ content: String) throws -> String {
        let path = stand.file("shadow")
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

    /// Has the user swap something over and over, until it is stopped. It prints how often it did then.
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
            Self.asUser(["python3", "-c", program, home, secret]), environment: [:], log: stand.file("attacker"))
        guard Eventually.holds({ attacker.log.contains("ready") }) else {
            throw Spawn.Failure(description: "the attacker did not start: \(attacker.log)")
        }
        return attacker
    }

    /// How often an attacker has swapped, once it is stopped.
    static func swaps(of attacker: ChildProcess) -> Int {
        attacker.stop()
        return attacker.log.split(separator: "\n").compactMap { Int($0) }.last ?? 0
    }
}
