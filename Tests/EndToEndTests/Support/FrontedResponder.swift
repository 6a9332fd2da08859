import Foundation
import POSIX
import TestSupport

/// A front that serves plain HTTP at a port of its own, and passes it on to a responder.
final class FrontedResponder: Sendable {
    let front: Front
    let folder: TemporaryFolder
    let site: String
    private let process: ChildProcess

    init(_ front: Front, responder: FastCGIPeer.Address) throws {
        self.front = front
        folder = try TemporaryFolder()
        let port = try FreePort.any()
        site = "http://127.0.0.1:\(port)/api"
        process = try ChildProcess(
            try front.command(port: port, responder: responder, folder: folder),
            environment: ["HOME": folder.path], log: folder.file("front.log"))
        let listens = Eventually.holds { (try? FastCGIPeer(.tcp(port))) != nil }
        guard listens else { throw Spawn.Failure(description: "\(front) does not listen: \(process.log)") }
    }

    deinit { process.stop() }

    /// One curl sends all of them, over as many connections as there are requests at a time.
    func send(_ exchanges: [FrontExchange], atATime count: Int) throws -> [Answer] {
        let outputs = try TemporaryFolder()
        let files = exchanges.indices.map { outputs.file("\($0)") }
        let blocks = zip(exchanges, files).map { exchange, file in
            exchange.options(site: site, output: file).joined(separator: "\n")
        }
        let parallel = ["--parallel", "--parallel-immediate", "--parallel-max", "\(count)"]
        try Shell.run(
            ["curl", "--config", "-"] + (count > 1 ? parallel : []),
            input: Array(blocks.joined(separator: "\nnext\n").utf8))
        return files.map { Answer(parsing: Array(FileManager.default.contents(atPath: $0) ?? Data())) }
    }
}
