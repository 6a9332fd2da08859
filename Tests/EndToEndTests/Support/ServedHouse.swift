import Foundation
import TestSupport

/// `gatehouse serve` as a process of its own, asked over FastCGI.
final class ServedHouse: House, @unchecked Sendable {
    let apple: FakeAppleStand
    let folder: TemporaryFolder
    private let variables: [String: String]
    /// Put in front of the command: a limit that the process is to live under.
    private let wrapper: [String]
    private(set) var process: ChildProcess

    var socket: String { folder.file("g.sock") }
    var database: String { folder.file("g.db") }

    /// - Parameter manner: how Apple's key server answers from the beginning.
    init(
        wrapper: [String] = [], apple manner: KeyServerManner = .behaving,
        _ adjust: (inout [String: String]) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        apple = try FakeAppleStand()
        apple.misbehave(manner)
        var variables = Settings.standard(folder: folder.path, keysURL: apple.keysURL)
        adjust(&variables)
        self.variables = variables
        self.wrapper = wrapper
        process = try Self.start(variables, wrapper: wrapper, folder: folder)
        try waitUntilListening()
    }

    private static func start(
        _ variables: [String: String], wrapper: [String], folder: TemporaryFolder
    ) throws -> ChildProcess {
        try ChildProcess(
            wrapper + [Executable.gatehouse, "serve"], environment: variables, log: folder.file("gatehouse.log"))
    }

    /// Starts anew on the same database, after the process has been stopped in whatever way.
    func restart(_ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        var variables = variables
        adjust(&variables)
        process = try Self.start(variables, wrapper: wrapper, folder: folder)
        try waitUntilListening()
    }

    private func waitUntilListening() throws {
        let answers = Eventually.holds { (try? FastCGIPeer(.unix(socket))) != nil }
        guard answers else { throw Spawn.Failure(description: "gatehouse does not listen: \(process.log)") }
    }

    func connect() throws -> FastCGIPeer { try FastCGIPeer(.unix(socket)) }

    func send(_ call: Call) throws -> Answer { try send(call, over: connect()) }

    func send(_ call: Call, over peer: FastCGIPeer) throws -> Answer {
        let answer = try peer.exchange(Self.bytes(of: call))
        return Answer(parsing: Array(answer.text.utf8))
    }

    /// The request as a front would write it.
    static func bytes(of call: Call) -> [UInt8] {
        var parameters = [
            ("REQUEST_METHOD", call.method), ("REMOTE_ADDR", "127.0.0.1"), ("REQUEST_ID", "test-request"),
            ("HTTP_USER_AGENT", call.header("User-Agent") ?? "Tests"),
        ]
        if let type = call.header("Content-Type") { parameters.append(("CONTENT_TYPE", type)) }
        if let value = call.header("Authorization") { parameters.append(("HTTP_AUTHORIZATION", value)) }
        if let tags = call.header("If-None-Match") { parameters.append(("HTTP_IF_NONE_MATCH", tags)) }
        if let role = call.demandedRole { parameters.append(("GATEHOUSE_ROLE", role)) }
        return FastCGIWire.request(call.path, body: call.body, parameters: parameters)
    }
}
