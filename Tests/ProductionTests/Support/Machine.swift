import Foundation
import Synchronization
import TestSupport

/// A Debian that boots in a folder with systemd as process 1 and only a loopback network. It
/// ends with the test process.
final class Machine {
    let root: String
    private let folder: TemporaryFolder
    private var process: ChildProcess?
    private var leader: pid_t = 0
    private var name = ""

    /// Creates and boots a Debian with Gatehouse's dependencies, nginx and the tools of the tests.
    init() throws {
        folder = try TemporaryFolder()
        root = folder.file("root")
        let script = Executable.root + "/Tests/ProductionTests/Scripts/debian-root"
        try Shell.run([script, root, Executable.root + "/.build/debian", Self.codename] + Self.packages)
        try boot()
    }

    deinit { halt() }

    /// Debian 12, unless `GATEHOUSE_DEBIAN` is trixie, which is Debian 13.
    private static let codename = ProcessInfo.processInfo.environment["GATEHOUSE_DEBIAN"] ?? "bookworm"

    private static let packages =
        [
            "systemd", "systemd-sysv", "dbus", "nginx", "openssl", "ca-certificates", "curl", "gpg", "python3",
            "libpq5", "libsqlite3-0", "iproute2", "procps", "sqlite3",
        ]
        + (codename == "bookworm"
            ? ["libcurl4", "libfcgi0ldbl", "libssl3"] : ["libcurl4t64", "libfcgi0t64", "libssl3t64"])

    // MARK: - Power

    /// Boots the machine, after a hard power-off if it is running.
    func boot() throws {
        halt()
        name = "gatehouse-" + UUID().uuidString.prefix(8).lowercased()
        let machine = try ChildProcess(
            [
                "systemd-nspawn", "--quiet", "--boot", "--register=no", "--keep-unit", "--private-network", "--pipe",
                "--kill-signal=SIGKILL", "--machine=\(name)", "--directory=\(root)",
            ], environment: [:], log: folder.file("console"))
        process = machine
        let isUp = Eventually.holds(within: 120, every: 0.05) {
            guard machine.exitStatus == nil, let child = Self.child(of: machine.identifier) else { return false }
            leader = child
            return ["running\n", "degraded\n"].contains((try? run("systemctl is-system-running || true").text) ?? "")
        }
        guard isUp else {
            throw Spawn.Failure(description: "the machine does not boot: \(machine.log.suffix(2000))")
        }
    }

    /// Kills the machine, whose folder is temporary.
    func halt() {
        process?.stop()
        process = nil
        leader = 0
        if !name.isEmpty { rmdir("/run/systemd/nspawn/propagate/" + name) }
    }

    private static func child(of parent: pid_t) -> pid_t? {
        for entry in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let process = pid_t(entry),
                let stat = try? String(contentsOfFile: "/proc/\(entry)/stat", encoding: .utf8),
                // The name in parentheses may contain any character. State and parent follow it.
                let rest = stat.split(separator: ")").last?.split(separator: " "), rest.count > 1
            else { continue }
            if pid_t(rest[1]) == parent { return process }
        }
        return nil
    }

    // MARK: - Commands

    /// Runs a shell script as root with a timeout.
    @discardableResult
    func run(_ script: String, in time: Int = 300) throws -> Shell.Outcome {
        try Shell.outcome(of: command(script, in: time))
    }

    /// Runs a script that must succeed, and returns its output without the final newline.
    @discardableResult
    func mustRun(_ script: String) throws -> String {
        let outcome = try run(script)
        guard outcome.status == 0 else {
            throw Spawn.Failure(
                description: "\(script) ended with \(outcome.status): \(outcome.text)\(outcome.errorOutput)\n\(journal)"
            )
        }
        return outcome.text.trimmingCharacters(in: .newlines)
    }

    /// Starts a script without waiting for it.
    func start(_ script: String) -> Background {
        let command = command(script, in: 600)
        return Background { (try? Shell.outcome(of: command))?.output ?? [] }
    }

    func eventuallySucceeds(_ script: String, within seconds: Double = 60) -> Bool {
        Eventually.holds(within: seconds, every: 0.1) { (try? run(script).status) == 0 }
    }

    /// The journal of Gatehouse's units, for messages of failed tests.
    var journal: String {
        (try? run("journalctl --no-pager --lines 60 --unit 'gatehouse*'; tail -n 5 /var/log/nginx/error.log").text)
            ?? ""
    }

    private func command(_ script: String, in time: Int) -> [String] {
        [
            "timeout", "--signal=KILL", String(time), "nsenter", "--target", String(leader), "--all", "--",
            "/usr/bin/env",
            "--ignore-environment", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
            "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "/bin/sh", "-c", script,
        ]
    }

    func put(_ file: String, at path: String) throws {
        try FileManager.default.copyItem(atPath: file, toPath: root + path)
    }

    func write(_ text: String, to path: String) throws {
        try text.write(toFile: root + path, atomically: true, encoding: .utf8)
    }
}
