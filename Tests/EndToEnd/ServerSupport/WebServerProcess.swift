import Foundation
import POSIX
import TestSupport

/// A web server on plain HTTP that passes requests to a FastCGI server.
final class WebServerProcess: Sendable {
    let kind: WebServer
    let folder: TemporaryFolder
    let site: String
    private let process: ChildProcess

    init(_ kind: WebServer, responder: FastCGIPeer.Address) throws {
        self.kind = kind
        folder = try TemporaryFolder()
        let port = try FreePort.any()
        site = "http://127.0.0.1:\(port)/api"
        process = try ChildProcess(
            try kind.command(port: port, responder: responder, folder: folder),
            environment: ["HOME": folder.path], log: folder.file("web-server.log"))
        let listens = Eventually.holds { (try? FastCGIPeer(.tcp(port))) != nil }
        guard listens else { throw Spawn.Failure(description: "\(kind) does not listen: \(process.log)") }
    }

    deinit { process.stop() }

    /// One curl process sends all requests, this many at a time over separate connections.
    func send(_ exchanges: [WebServerExchange], atATime count: Int) throws -> [TestResponse] {
        let outputs = try TemporaryFolder()
        let files = exchanges.indices.map { outputs.file("\($0)") }
        let blocks = zip(exchanges, files).map { exchange, file in
            exchange.options(site: site, output: file).joined(separator: "\n")
        }
        let parallel = ["--parallel", "--parallel-immediate", "--parallel-max", "\(count)"]
        try Shell.run(
            ["curl", "--config", "-"] + (count > 1 ? parallel : []),
            input: Array(blocks.joined(separator: "\nnext\n").utf8))
        return files.map { TestResponse(parsing: Array(FileManager.default.contents(atPath: $0) ?? Data())) }
    }
}
