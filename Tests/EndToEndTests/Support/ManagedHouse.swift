import Foundation
import POSIX
import TestSupport

/// `gatehouse serve` as a service manager runs it: behind a socket that stays when the process goes, and told what it
/// says.
final class ManagedHouse: House, @unchecked Sendable {
    let apple: FakeAppleStand
    let folder: TemporaryFolder
    let manager: FakeServiceManager
    private let listener: Listener
    private let variables: [String: String]
    private let wrapper: [String]
    private(set) var process: ManagedProcess

    var socket: String { folder.file("m.sock") }
    var database: String { folder.file("g.db") }
    var log: String { (try? String(contentsOfFile: folder.file("managed.log"), encoding: .utf8)) ?? "" }

    /// - Parameter watchdog: within which time the manager wants to hear that the server is alive.
    init(
        wrapper: [String] = [], watchdog: Int? = nil, apple manner: KeyServerManner = .behaving,
        _ adjust: (inout [String: String]) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        apple = try FakeAppleStand()
        apple.misbehave(manner)
        manager = try FakeServiceManager(at: folder.file("notify"))
        listener = try Listener.unix(path: folder.file("m.sock"))
        var variables = Settings.standard(folder: folder.path, keysURL: apple.keysURL)
        // What LISTEN says is not what counts here, but what others ask by.
        variables["LISTEN"] = "unix:" + folder.file("m.sock")
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
            [Executable.gatehouse, "serve"], environment: variables, log: folder.file("managed.log"),
            manager: manager, listener: listener, wrapper: wrapper)
    }

    /// As `systemctl restart` does it. The status that the process ended with.
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
            throw Spawn.Failure(description: "gatehouse does not say that it is ready: \(log)")
        }
    }

    func connect() throws -> FastCGIPeer { try FastCGIPeer(.unix(socket)) }

    func send(_ call: Call) throws -> Answer { try send(call, over: connect()) }

    func send(_ call: Call, over peer: FastCGIPeer) throws -> Answer {
        Answer(parsing: Array(try peer.exchange(ServedHouse.bytes(of: call)).text.utf8))
    }

    /// What an operator is told who asks how it is.
    func health(_ words: String...) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["/usr/bin/timeout", "60", Executable.gatehouse, "health"] + words,
            environment: ["LISTEN": variables["LISTEN"] ?? ""])
    }
}
