package import Foundation

/// A program started by a service manager: with its variables, and descriptors from 3 on. It ends with the test process
/// however that ends: a shell stands guard and kills it once nobody holds the other end of its standard input.
package final class ManagedProcess: RunningProgram, @unchecked Sendable {
    package let identifier: pid_t
    private let watchman: pid_t
    private let leash: Int32
    private let lock = NSLock()
    private var ended: Int32?

    /// Only the program itself knows the process id that is to be in its environment.
    private static let script = """
        LISTEN_PID=$$; WATCHDOG_PID=$$; export LISTEN_PID WATCHDOG_PID; exec "$@"
        """

    package init(
        _ command: [String], environment: [String: String], log: String, manager: FakeServiceManager,
        listener: Int32, wrapper: [String] = []
    ) throws {
        manager.closeDead()
        let kept = manager.keptCopies()
        defer { for entry in kept { close(entry.descriptor) } }
        let names = ["gatehouse.socket"] + kept.map(\.name)
        let variables = [
            "PATH": "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin", "NOTIFY_SOCKET": manager.address,
            "LISTEN_FDS": String(names.count), "LISTEN_FDNAMES": names.joined(separator: ":"),
        ]
        let (input, output) = (
            open("/dev/null", O_RDONLY | O_CLOEXEC), open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        )
        defer { for end in [input, output] { close(end) } }
        identifier = try Spawn.run(
            ["/bin/sh", "-c", Self.script, "sh"] + wrapper + command,
            environment: variables.merging(environment) { $1 },
            streams: (input, output, output), passing: [listener] + kept.map(\.descriptor))
        let (read, write) = try Spawn.pipe()
        watchman = try Spawn.run(
            ["/bin/sh", "-c", "read -r _; kill -KILL \"$1\"", "sh", "\(identifier)"], streams: (read, 2, 2))
        close(read)
        leash = write
    }

    deinit {
        stop()
        kill(watchman, SIGKILL)
        var raw: Int32 = 0
        waitpid(watchman, &raw, 0)
        close(leash)
    }

    /// Its exit status, or 128 and the number of the signal that killed it; nil while it runs.
    package var exitStatus: Int32? {
        lock.withLock {
            if ended != nil { return ended }
            var raw: Int32 = 0
            guard waitpid(identifier, &raw, WNOHANG) == identifier else { return nil }
            ended = Spawn.status(of: raw)
            return ended
        }
    }
}
