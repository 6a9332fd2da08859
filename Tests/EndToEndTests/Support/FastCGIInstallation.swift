import Foundation
import TestSupport

/// `gatehouse serve` as a separate process that gets requests over FastCGI.
final class FastCGIInstallation: Installation, @unchecked Sendable {
    let apple: FakeAppleIssuer
    let folder: TemporaryFolder
    private let variables: [String: String]
    /// A command in front of the server's, such as `prlimit`.
    private let wrapper: [String]
    private(set) var process: ChildProcess

    var socket: String { folder.file("g.sock") }
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

    /// Another server process on the database of an installation.
    init(
        beside other: FastCGIInstallation, _ adjust: (inout [String: String]) -> Void = { _ in }
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
        if Eventually.holds({ (try? FastCGIPeer(.unix(socket))) != nil || process.exitStatus != nil }),
            process.exitStatus == nil
        {
            process.signal(SIGTERM)
        }
        let status = process.wait()
        return (status, String(decoding: process.log.utf8.dropFirst(before), as: UTF8.self))
    }

    private func waitUntilListening() throws {
        let isAnswering = Eventually.holds { (try? FastCGIPeer(.unix(socket))) != nil }
        guard isAnswering else { throw Spawn.Failure(description: "gatehouse does not listen: \(process.log)") }
    }

    func connect() throws -> FastCGIPeer { try FastCGIPeer(.unix(socket)) }

    func send(_ request: TestRequest) throws -> TestResponse { try send(request, over: connect()) }

    func send(_ request: TestRequest, over peer: FastCGIPeer) throws -> TestResponse {
        let response = try peer.exchange(Self.bytes(of: request))
        return TestResponse(parsing: Array(response.text.utf8)).checked(against: request, through: .responder)
    }

    /// The request as a web server encodes it.
    static func bytes(of request: TestRequest) -> [UInt8] {
        var parameters = [
            ("REQUEST_METHOD", request.method), ("REMOTE_ADDR", "127.0.0.1"), ("REQUEST_ID", "test-request"),
            ("HTTP_USER_AGENT", request.header("User-Agent") ?? "Tests"),
        ]
        if let type = request.header("Content-Type") { parameters.append(("CONTENT_TYPE", type)) }
        if let value = request.header("Authorization") { parameters.append(("HTTP_AUTHORIZATION", value)) }
        if let tags = request.header("If-None-Match") { parameters.append(("HTTP_IF_NONE_MATCH", tags)) }
        if let role = request.demandedRole { parameters.append(("GATEHOUSE_ROLE", role)) }
        if let age = request.demandedMaximumAge { parameters.append(("GATEHOUSE_MAX_AGE", age)) }
        return FastCGIWire.request(request.path, body: request.body, parameters: parameters)
    }
}
