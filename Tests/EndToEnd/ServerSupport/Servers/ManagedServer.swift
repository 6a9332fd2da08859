import Foundation
import POSIX
import Sockets
import TestSupport

/// `gatehouse serve` under a service manager that keeps the listening socket and receives notifications.
final class ManagedServer: TestServer, @unchecked Sendable {
    let apple: FakeAppleIssuer
    let folder: TemporaryFolder
    let manager: FakeServiceManager
    private let listener: Listener
    private let variables: [String: String]
    private let wrapper: [String]
    private(set) var process: ManagedProcess

    var socket: String { folder.file("g.sock") }
    var database: String { folder.file("g.db") }
    var log: String { (try? String(contentsOfFile: folder.file("gatehouse.log"), encoding: .utf8)) ?? "" }

    /// - Parameter watchdog: the watchdog timeout in seconds.
    init(
        wrapper: [String] = [], watchdog: Int? = nil, apple mode: KeySetServerMode = .normal,
        _ adjust: (inout [String: String]) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        apple = try FakeAppleIssuer()
        apple.setKeyServerMode(mode)
        manager = try FakeServiceManager(at: folder.file("notify"))
        // The server uses this socket instead of its own at LISTEN.
        listener = try Listener.unix(path: folder.file("g.sock"))
        var variables = try TestSettings.standard(folder: folder.path, keysURL: apple.keysURL)
        if let watchdog { variables["WATCHDOG_USEC"] = String(watchdog * 1_000_000) }
        adjust(&variables)
        self.variables = variables
        self.wrapper = wrapper
        process = try Self.start(
            variables, wrapper: wrapper, folder: folder, manager: manager, listener: listener.descriptor.number)
        try waitUntilReady(1)
    }

    deinit {
        process.stop()
        manager.stop()
        _ = listener.withdraw()
    }

    private static func start(
        _ variables: [String: String], wrapper: [String], folder: TemporaryFolder, manager: FakeServiceManager,
        listener: Int32
    ) throws -> ManagedProcess {
        try ManagedProcess(
            [Executable.gatehouse, "serve"], environment: variables, log: folder.file("gatehouse.log"),
            manager: manager, listener: listener, wrapper: wrapper)
    }

    /// Restarts as `systemctl restart` does. Returns the exit status of the old process.
    @discardableResult
    func restart() throws -> Int32? {
        let ready = manager.count(of: "READY=1")
        process.signal(SIGTERM)
        let status = process.wait()
        process = try Self.start(
            variables, wrapper: wrapper, folder: folder, manager: manager, listener: listener.descriptor.number)
        try waitUntilReady(ready + 1)
        return status
    }

    private func waitUntilReady(_ times: Int) throws {
        guard Eventually.holds(within: 40, { manager.count(of: "READY=1") >= times }) else {
            throw Spawn.Failure(description: "gatehouse does not report readiness: \(log)")
        }
    }

    func connect() throws -> FastCGIPeer { try FastCGIPeer(.unix(socket)) }

    func send(_ request: TestRequest) throws -> TestResponse { try connect().exchange(request) }

    /// Runs `gatehouse health`.
    func health(_ words: String...) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["/usr/bin/timeout", "60", Executable.gatehouse, "health"] + words,
            environment: ["LISTEN": variables["LISTEN"] ?? ""])
    }
}
