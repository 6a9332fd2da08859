package import Foundation

/// A program started by a service manager, with its variables and with descriptors from 3 on. It ends with
/// the test process, also if that is killed: a shell kills the program when the other end of the shell's
/// standard input is closed.
package final class ManagedProcess: RunningProgram, @unchecked Sendable {
    package let identifier: pid_t
    private let guardProcess: pid_t
    private let guardInput: Int32
    private let lock = NSLock()
    private var ended: Int32?

    /// The environment must contain the process id, which only the program itself knows.
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
        guardProcess = try Spawn.run(
            ["/bin/sh", "-c", "read -r _; kill -KILL \"$1\"", "sh", "\(identifier)"], streams: (read, 2, 2))
        close(read)
        guardInput = write
    }

    deinit {
        stop()
        kill(guardProcess, SIGKILL)
        var raw: Int32 = 0
        waitpid(guardProcess, &raw, 0)
        close(guardInput)
    }

    /// The exit status, or 128 plus the number of the signal that killed it; nil while it runs.
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
