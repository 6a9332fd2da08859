import Foundation
import TestSupport

/// A Docker engine of the tests' own: its images stay in `.build` for the next run, all else of it goes with it. It
/// changes nothing in this machine's firewall, and is not the service that the package would start.
final class Engine: Sendable {
    /// The only one there is, or why there is none.
    static let shared = Result { try Engine() }

    /// Nil where one starts.
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
        // Its data belongs to one engine at a time: another one that is just ending, or at work, is waited for.
        daemon = try ChildProcess(
            ["flock", "--no-fork", "--timeout", "900", data + "/lock"] + Self.command(data: data, folder: folder.path),
            environment: ["PATH": Self.path, "HOME": folder.path], log: folder.file("log"))
        guard answers() else {
            daemon.stop()
            throw Spawn.Failure(description: String(daemon.log.suffix(600)))
        }
        Self.stopAtExit
        try makeANetwork()
    }

    private static let path = "/usr/sbin:/usr/bin:/sbin:/bin"

    /// What need not be tried: without these none can start.
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

    /// Overlays are quick, but not every file system can carry them (another overlay, for one). Copies always work.
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
        // One that waits for another one's end has not failed yet.
        Eventually.holds(within: 960) {
            usleep(100_000)
            return daemon.exitStatus != nil || (try? run(["docker", "info"]).status) == 0
        } && daemon.exitStatus == nil
    }

    private func makeANetwork() throws {
        try must(["docker", "network", "create", "gatehouse-try"])
        try must(["docker", "network", "rm", "gatehouse-try"])
    }

    // MARK: - Its commands

    /// Runs a program that asks this engine; with nothing of this machine's own settings for Docker.
    func run(_ command: [String], variables: [String: String] = [:], input: [UInt8] = []) throws -> Shell.Outcome {
        var environment = variables
        environment["DOCKER_HOST"] = "unix://" + folder.file("docker.sock")
        environment["HOME"] = folder.path
        environment["PATH"] = Self.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        return try Shell.outcome(of: ["env"] + command, environment: environment, input: input)
    }

    @discardableResult
    func must(_ command: [String], variables: [String: String] = [:]) throws -> String {
        let outcome = try run(command, variables: variables)
        guard outcome.status == 0 else {
            throw Spawn.Failure(
                description: "\(command.joined(separator: " ")) ended with \(outcome.status): "
                    + "\(outcome.text.suffix(4000))\(outcome.complaint.suffix(4000))")
        }
        return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: - Its end

    /// Nothing of it outlives the tests. (Were they killed, it would be told to end all the same.)
    private static let stopAtExit: Void = {
        atexit { try? Engine.shared.get().stop() }
    }()

    private func stop() {
        // Asked, rather than killed after ten seconds: it unmounts what it has mounted, all but this.
        daemon.signal(SIGTERM)
        _ = daemon.wait(atMost: 60)
        daemon.stop()
        umount2(folder.file("exec/netns/default"), Int32(MNT_DETACH))
        try? FileManager.default.removeItem(atPath: folder.path)
    }
}
