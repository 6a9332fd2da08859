import Foundation
import TestSupport

/// Records every call of nginx's workers that names a file, and every connection they open.
final class FileTrace {
    private let house: FrontedHouse
    private let strace: ChildProcess
    private let path: String

    /// Reading another process's calls takes its parent or root.
    static var isPossible: Bool { geteuid() == 0 }

    init(of house: FrontedHouse) throws {
        self.house = house
        path = house.folder.file("trace")
        let workers = try Self.workers(of: house.nginx.identifier)
        let processes = workers.flatMap { ["-p", "\($0)"] }
        strace = try ChildProcess(
            ["strace", "-f", "-o", path, "-e", "trace=%file,connect"] + processes, environment: [:],
            log: house.folder.file("strace.log"))
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

    /// The calls up to now. nginx is told to reopen its log: that shows in the trace, behind everything before it.
    func calls() throws -> (files: [String], connections: Int) {
        house.nginx.signal(SIGUSR1)
        let isComplete = Eventually.holds { lines.contains { $0.contains("gatehouse.access.log") } }
        guard isComplete else { throw Spawn.Failure(description: "nothing is traced: \(strace.log)") }
        let calls = lines.prefix { !$0.contains(".log\"") }
        let connections = calls.filter { $0.contains("connect(") }
        return (calls.filter { !$0.contains("connect(") && $0.contains("(") }.map(String.init), connections.count)
    }

    deinit { strace.stop() }
}
