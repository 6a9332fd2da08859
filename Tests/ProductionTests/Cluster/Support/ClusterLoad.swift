import Foundation
import TestSupport

/// The 64 clients of load.py.
final class ClusterLoad {
    private let folder: TemporaryFolder
    private let process: ChildProcess

    init(on cluster: RunningCluster) throws {
        folder = try TemporaryFolder()
        let program = Executable.root + "/Tests/ProductionTests/Scripts/load.py"
        process = try ChildProcess(
            cluster.inside(["/usr/bin/python3", "-B", program, folder.path] + cluster.loadArguments()),
            environment: [:], log: folder.file("log"))
    }

    deinit { process.stop() }

    /// Ends the last phase and starts another one. Returns the report of the last one.
    func begin(_ phase: String, ending last: String) throws -> LoadReport {
        try phase.write(toFile: folder.file("phase"), atomically: true, encoding: .utf8)
        let path = folder.file(last + ".json")
        let isThere = Eventually.holds(within: 60) { FileManager.default.fileExists(atPath: path) }
        guard isThere else { throw Spawn.Failure(description: "the load does not run: \(process.log)") }
        return try JSONDecoder().decode(LoadReport.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Ends the last phase, and then uses every session once more. Returns the reports of both.
    func end(ending last: String) throws -> (last: LoadReport, end: LoadReport) {
        let report = try begin("end", ending: last)
        return (report, try begin("end", ending: "end"))
    }
}
