import Foundation
import TestSupport

/// Traces the system calls of nginx's workers that name a file or open a connection.
final class NginxFileTrace {
    private let server: ServerBehindNginx
    private let strace: ChildProcess
    private let path: String

    /// Tracing another process requires root.
    static var isPossible: Bool { geteuid() == 0 }

    init(of server: ServerBehindNginx) throws {
        self.server = server
        path = server.folder.file("trace")
        let workers = try Self.workers(of: server.nginx.identifier)
        let processes = workers.flatMap { ["-p", "\($0)"] }
        strace = try ChildProcess(
            ["strace", "-f", "-o", path, "-e", "trace=%file,connect"] + processes, environment: [:],
            log: server.folder.file("strace.log"))
        let isAttached = Eventually.holds { workers.allSatisfy { strace.log.contains("\($0) attached") } }
        guard isAttached else { throw Spawn.Failure(description: "strace does not attach: \(strace.log)") }
    }

    private static func workers(of master: pid_t) throws -> [Int] {
        let text = try String(contentsOfFile: "/proc/\(master)/task/\(master)/children", encoding: .utf8)
        return text.split(separator: " ").compactMap { Int($0) }
    }

    private var lines: [Substring] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
    }

    /// The calls so far. Reopening nginx's log marks the end of the trace.
    func calls() throws -> (files: [String], connections: Int) {
        server.nginx.signal(SIGUSR1)
        let isComplete = Eventually.holds { lines.contains { $0.contains("gatehouse.access.log") } }
        guard isComplete else { throw Spawn.Failure(description: "the trace is incomplete: \(strace.log)") }
        let calls = lines.prefix { !$0.contains(".log\"") }
        let connections = calls.filter { $0.contains("connect(") }
        return (calls.filter { !$0.contains("connect(") && $0.contains("(") }.map(String.init), connections.count)
    }

    deinit { strace.stop() }
}
