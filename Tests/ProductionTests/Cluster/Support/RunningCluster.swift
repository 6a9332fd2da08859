import Foundation
import Glibc
import TestSupport
import Testing

/// `deploy/run --cluster` in a network namespace of its own, so that packets can be dropped there.
final class RunningCluster {
    private static let port = 8443
    private static let applePort = 8444

    /// Nil if a network namespace and its packet filter can be used.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "only root can make a network namespace" }
        let made = try? Shell.run(["unshare", "--net", "sh", "-c", "ip link set lo up && iptables -A INPUT -j ACCEPT"])
        return made == nil ? "network namespaces are not allowed here, or there is no ip or iptables command" : nil
    }()

    static var reason: Comment { "no cluster can be started: \(obstacle ?? "")" }

    let folder: TemporaryFolder
    let process: ChildProcess

    /// What the script has printed so far.
    var page: String { process.log }
    var data: String { folder.file("data") }

    convenience init() throws {
        let folder = try TemporaryFolder()
        try RunnableCheckout.make(at: folder.file("checkout"))
        try Self.addGuardedLocation(to: folder.file("data/nginx/gatehouse.d"))
        try self.init(in: folder)
    }

    /// Runs the script with the data of another run.
    init(in folder: TemporaryFolder) throws {
        self.folder = folder
        let checkout = folder.file("checkout")
        process = try ChildProcess(
            [
                "unshare", "--net", "sh", "-c", "ip link set lo up; exec \"$@\"", "sh", checkout + "/deploy/run",
                "--cluster", "--data", folder.file("data"), "--port", "\(Self.port)",
                "--apple-port", "\(Self.applePort)",
            ], environment: ["PATH": checkout + "/bin:" + RunnableCheckout.path],
            log: folder.file("page-\(UUID().uuidString)"))
        let hasStarted = Eventually.holds(within: 180, every: 0.05) {
            page.contains("Ctrl-C stops it.") || process.exitStatus != nil
        }
        guard hasStarted, process.exitStatus == nil else {
            process.stop()
            throw Spawn.Failure(description: "deploy/run --cluster did not start: \(page)")
        }
    }

    private static func addGuardedLocation(to path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try "location /guarded/ { include snippets/gatehouse-guard.conf; empty_gif; }"
            .write(toFile: path + "/test.conf", atomically: true, encoding: .utf8)
    }

    /// The line of the page that signs in and asks who the user is.
    var signIn: String? { page.firstMatch(of: /Sign in: +(.+)/).map { String($0.output.1) } }

    /// Pastes lines of the page into a shell.
    func paste(_ lines: [String]) throws -> Shell.Outcome {
        try Shell.outcome(
            of: inside(["sh", "-s"]), environment: ["PATH": RunnableCheckout.path],
            input: Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// The lines of the page that begin with a word.
    func lines(_ word: String) -> [String] {
        page.split(separator: "\n").map(String.init).filter { $0.hasPrefix(word + " ") }
    }

    /// Stops the script and waits for its processes. The exit status.
    @discardableResult
    func stop() -> Int32? {
        process.signal(SIGTERM)
        return process.wait(atMost: 120)
    }

    deinit { stop() }

    // --- Its parts

    /// The command that runs in the namespace.
    func inside(_ command: [String]) -> [String] {
        ["nsenter", "--net=/proc/\(process.identifier)/ns/net"] + command
    }

    /// The process ids of a part, by `deploy/lib/cluster`. Empty while it does not run.
    func processes(of part: String) throws -> [pid_t] {
        let outcome = try Shell.outcome(of: inside([folder.file("checkout/deploy/lib/cluster"), data, part]))
        return outcome.text.split(separator: "\n").compactMap { pid_t($0) }
    }

    /// The list of `deploy/lib/cluster`.
    var parts: String {
        (try? Shell.outcome(of: inside([folder.file("checkout/deploy/lib/cluster"), data])).text) ?? ""
    }

    /// With SIGKILL.
    func kill(_ part: String) throws {
        let processes = try processes(of: part)
        try #require(!processes.isEmpty, "there is no \(part): \(page)")
        signal(SIGKILL, processes)
    }

    func signal(_ number: Int32, _ processes: [pid_t]) {
        for process in processes { Glibc.kill(process, number) }
    }

    /// The address of the member that is the primary.
    func primaryAddress() throws -> String {
        try #require(["1", "2"].first { parts.contains("member-\($0): primary") }.map { "127.0.10." + $0 })
    }

    func cut(_ address: String) throws {
        for end in ["--source", "--destination"] {
            try Shell.run(inside(["iptables", "--append", "INPUT", end, address, "--jump", "DROP"]))
        }
    }

    func heal() throws { try Shell.run(inside(["iptables", "--flush", "INPUT"])) }

    /// Waits until there is a primary and a synchronous standby, and until all other parts run.
    func isWhole(within seconds: Double = 90) -> Bool {
        Eventually.holds(within: seconds, every: 0.2) {
            let parts = parts
            return hasPrimary() && parts.contains(": primary") && parts.contains(": synchronous standby")
                && !parts.contains("does not")
        }
    }

    /// Whether a server accepts writes. Patroni's own answers may be some seconds old.
    func hasPrimary() -> Bool {
        guard let address = configuredDatabase else { return false }
        let command = ["psql", "--no-psqlrc", "--command", "SELECT txid_current()", address + "&connect_timeout=2"]
        return (try? Shell.outcome(of: inside(command)).status) == 0
    }

    private var configuredDatabase: String? {
        let text = (try? String(contentsOfFile: data + "/gatehouse.conf", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("DATABASE_URL=") }
        return line.map { $0.dropFirst("DATABASE_URL=".count).trimmingCharacters(in: ["\""]) }
    }

    // --- Load

    private var password: String {
        get throws { try String(contentsOfFile: data + "/secrets/postgres", encoding: .utf8).trimmed }
    }

    /// The arguments of load.py but its folder.
    func loadArguments() throws -> [String] {
        let addresses = try String(contentsOfFile: data + "/cluster/addresses", encoding: .utf8)
        let servers = addresses.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ")
            guard words[0].hasPrefix("postgres-") else { return nil }
            let parts = words[1].split(separator: ":")
            return "host=\(parts[0]) port=\(parts[1])"
        }
        let connections = try servers.map { "\($0) user=postgres dbname=postgres password=\(try password)" }
        return [
            "\(Self.port)", data + "/nginx/ca.pem", "\(Self.applePort)", connections.joined(separator: ";"),
        ]
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
