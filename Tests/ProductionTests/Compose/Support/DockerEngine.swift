import Foundation
import TestSupport

/// A Docker engine for the tests. Its images stay in `.build` for the next run, and everything else is removed. It does
/// not change the firewall and is independent of the system's Docker service.
final class DockerEngine: Sendable {
    /// The engine, or the reason why it cannot start.
    static let shared = Result { try DockerEngine() }

    /// Nil where the engine starts.
    static var obstacle: String? {
        switch shared {
        case .success: nil
        case .failure(let error): "\(error)"
        }
    }

    let folder: TemporaryFolder
    private let daemon: ChildProcess

    private init() throws {
        if let missing = Self.missing { throw Spawn.Failure(description: missing) }
        folder = try TemporaryFolder()
        let data = Executable.root + "/.build/docker"
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        // Only one engine can use the data folder at a time, so this waits for another one to end.
        daemon = try ChildProcess(
            ["flock", "--no-fork", "--timeout", "900", data + "/lock"] + Self.command(data: data, folder: folder.path),
            environment: ["PATH": Self.path, "HOME": folder.path], log: folder.file("log"))
        guard answers() else {
            daemon.stop()
            throw Spawn.Failure(description: String(daemon.log.suffix(600)))
        }
        Self.stopAtExit
        try checkNetworks()
    }

    private static let path = "/usr/sbin:/usr/bin:/sbin:/bin"

    /// The requirements that can be checked without a start.
    private static var missing: String? {
        guard geteuid() == 0 else { return "only root can" }
        for tool in ["/usr/sbin/dockerd", "/usr/bin/docker", "/usr/bin/docker-compose", "/usr/sbin/debootstrap"]
        where !FileManager.default.isExecutableFile(atPath: tool) {
            return "there is no \(tool)"
        }
        guard (try? Shell.run(["unshare", "--mount", "--net", "mount", "-t", "tmpfs", "none", "/mnt"])) != nil else {
            return "namespaces and mounts are not allowed"
        }
        return nil
    }

    private static func command(data: String, folder: String) -> [String] {
        [
            "dockerd", "--data-root", data, "--exec-root", folder + "/exec", "--pidfile", folder + "/pid",
            "--host", "unix://" + folder + "/docker.sock", "--storage-driver", storageDriver(in: data),
            "--bridge", "none", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--log-level", "warn",
        ]
    }

    /// Overlay is faster, but some file systems do not support it. The vfs driver always works.
    private static func storageDriver(in data: String) -> String {
        let attempt = """
            cd "$1" && rm -rf .try && mkdir -p .try/a .try/b .try/c .try/d &&
            mount -t overlay overlay -o lowerdir=.try/a,upperdir=.try/b,workdir=.try/c .try/d
            """
        let works = (try? Shell.run(["unshare", "--mount", "sh", "-c", attempt, "sh", data])) != nil
        try? FileManager.default.removeItem(atPath: data + "/.try")
        return works ? "overlay2" : "vfs"
    }

    private func answers() -> Bool {
        // An engine that waits for the lock has not failed.
        Eventually.holds(within: 960, every: 0.1) {
            daemon.exitStatus != nil || (try? run(["docker", "info"]).status) == 0
        } && daemon.exitStatus == nil
    }

    private func checkNetworks() throws {
        try mustRun(["docker", "network", "create", "gatehouse-try"])
        try mustRun(["docker", "network", "rm", "gatehouse-try"])
    }

    // MARK: - Commands

    /// Runs a program with this engine as its Docker host and without the user's Docker settings.
    func run(_ command: [String], variables: [String: String] = [:], input: [UInt8] = []) throws -> Shell.Outcome {
        var environment = variables
        environment["DOCKER_HOST"] = "unix://" + folder.file("docker.sock")
        environment["HOME"] = folder.path
        environment["PATH"] = Self.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        return try Shell.outcome(of: ["env"] + command, environment: environment, input: input)
    }

    @discardableResult
    func mustRun(_ command: [String], variables: [String: String] = [:]) throws -> String {
        let outcome = try run(command, variables: variables)
        guard outcome.status == 0 else {
            throw Spawn.Failure(
                description: "\(command.joined(separator: " ")) ended with \(outcome.status): "
                    + "\(outcome.text.suffix(4000))\(outcome.errorOutput.suffix(4000))")
        }
        return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: - Shutdown

    /// Stops the engine when the tests end. If the test process is killed, the engine gets a signal too.
    private static let stopAtExit: Void = {
        atexit { try? DockerEngine.shared.get().stop() }
    }()

    private func stop() {
        // SIGTERM lets the engine remove its mounts. One of them remains and is removed below.
        daemon.signal(SIGTERM)
        _ = daemon.wait(atMost: 60)
        daemon.stop()
        umount2(folder.file("exec/netns/default"), Int32(MNT_DETACH))
        try? FileManager.default.removeItem(atPath: folder.path)
    }
}
