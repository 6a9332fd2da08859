import AppleID
import Gatehouse
import GatehouseServer
import GatehouseWeb
import Synchronization
import TestSupport

/// The router in this process, with a clock that a test can set forward.
final class InProcessHouse: House {
    let apple: FakeAppleStand
    private let folder: TemporaryFolder
    private let variables: [String: String]
    private let circumstances: Circumstances
    private let assembly: Mutex<Assembly>

    /// What outlives a restart.
    private final class Circumstances: Sendable {
        let ahead = Mutex(Duration.zero)
        let log = Mutex("")
    }

    init(_ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        apple = try FakeAppleStand()
        var variables = Settings.standard(folder: folder.path, keysURL: apple.keysURL)
        adjust(&variables)
        self.variables = variables
        circumstances = Circumstances()
        assembly = try Mutex(Self.assembly(variables, circumstances))
    }

    private static func assembly(_ variables: [String: String], _ circumstances: Circumstances) throws -> Assembly {
        let world = Gatehouse.World(
            now: { Gatehouse.World.real.now() + circumstances.ahead.withLock { $0 } },
            random: Gatehouse.World.real.random, equal: Gatehouse.World.real.equal)
        let log = Log(level: .info) { line in circumstances.log.withLock { $0 += line + "\n" } }
        return try Assembly(Configuration(from: SettingSource(variables: variables)), world: world, log: log)
    }

    var database: String { folder.file("g.db") }

    var log: String { circumstances.log.withLock { $0 } }

    func setForward(by time: Duration) { circumstances.ahead.withLock { $0 += time } }

    /// What a thread of the server does every now and then; here there is none.
    func renewKeys() { assembly.withLock { $0.keys }.renewIfDue() }

    /// Begins anew on the same database.
    func restart(_ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        var variables = variables
        adjust(&variables)
        let next = try Self.assembly(variables, circumstances)
        assembly.withLock { $0 = next }
    }

    func send(_ call: Call) -> Answer {
        let request = Request(
            method: call.method, path: Array(call.path.utf8)[...], envelope: CallEnvelope(call: call), body: call.body,
            id: "test-request")
        var bytes: [UInt8] = []
        assembly.withLock { $0.handler }.answer(request)
            .write(answering: call.method, requestID: "test-request", to: &bytes)
        return Answer(parsing: bytes)
    }
}
