import Foundation
import TestSupport

/// `gatehouse serve` as a separate process that gets requests over FastCGI.
final class ServerProcess: TestServer, @unchecked Sendable {
    let apple: FakeAppleIssuer
    let folder: TemporaryFolder
    private let variables: [String: String]
    /// A command in front of the server's, such as `prlimit`.
    private let wrapper: [String]
    private(set) var process: ChildProcess

    /// Where the server listens by default.
    var socket: String { folder.file("g.sock") }
    var address: FastCGIPeer.Address {
        let port = variables["LISTEN"]?.wholeMatch(of: /tcp:127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) }
        return port.map { .tcp($0) } ?? .unix(socket)
    }
    /// The file of the database, where it is one.
    var database: String { folder.file("g.db") }
    var databaseURL: String { variables["DATABASE_URL"] ?? "" }

    /// - Parameter mode: how Apple's key server answers.
    init(
        wrapper: [String] = [], apple mode: KeySetServerMode = .normal,
        _ adjust: (inout [String: String]) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        apple = try FakeAppleIssuer()
        apple.setKeyServerMode(mode)
        var variables = try TestSettings.standard(folder: folder.path, keysURL: apple.keysURL)
        adjust(&variables)
        self.variables = variables
        self.wrapper = wrapper
        process = try Self.start(variables, wrapper: wrapper, folder: folder)
        try waitUntilListening()
    }

    /// A second server process on the database of another one.
    init(
        beside other: ServerProcess, _ adjust: (inout [String: String]) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        apple = other.apple
        var variables = other.variables.merging(["LISTEN": "unix:\(folder.file("g.sock"))"]) { $1 }
        adjust(&variables)
        self.variables = variables
        wrapper = []
        process = try Self.start(variables, wrapper: wrapper, folder: folder)
        try waitUntilListening()
    }

    private static func start(
        _ variables: [String: String], wrapper: [String], folder: TemporaryFolder
    ) throws -> ChildProcess {
        try ChildProcess(
            wrapper + [Executable.gatehouse, "serve"], environment: variables, log: folder.file("gatehouse.log"))
    }

    /// Starts the server again on the same database.
    func restart(_ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        var variables = variables
        adjust(&variables)
        process = try Self.start(variables, wrapper: wrapper, folder: folder)
        try waitUntilListening()
    }

    /// Starts a server that should not start, and returns how it ended.
    func refusedStart(
        _ adjust: (inout [String: String]) -> Void = { _ in }
    ) throws -> (status: Int32?, log: String) {
        var variables = variables
        adjust(&variables)
        let before = process.log.utf8.count
        process = try Self.start(variables, wrapper: wrapper, folder: folder)
        // A server that does start would never end by itself.
        if Eventually.holds({ (try? connect()) != nil || process.exitStatus != nil }),
            process.exitStatus == nil
        {
            process.signal(SIGTERM)
        }
        let status = process.wait()
        return (status, String(decoding: process.log.utf8.dropFirst(before), as: UTF8.self))
    }

    private func waitUntilListening() throws {
        guard Eventually.holds({ (try? connect()) != nil }) else {
            throw Spawn.Failure(description: "gatehouse does not listen: \(process.log)")
        }
    }

    func connect() throws -> FastCGIPeer { try FastCGIPeer(address) }

    func send(_ request: TestRequest) throws -> TestResponse { try connect().exchange(request) }
}
