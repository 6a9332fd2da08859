import Gatehouse
import GatehouseServer
import GatehouseWeb
import Synchronization
import TestSupport

/// The router in this process, with a clock that a test can set forward.
final class InProcessHouse: House {
    let apple: FakeAppleStand
    private let folder: TemporaryFolder
    private let assembly: Assembly
    private let ahead: Clockwork

    private final class Clockwork: Sendable {
        let ahead = Mutex(Duration.zero)
    }

    init(_ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        apple = try FakeAppleStand(in: folder)
        var variables = Settings.standard(folder: folder.path, keysURL: apple.keysURL)
        adjust(&variables)
        let clockwork = Clockwork()
        let world = Gatehouse.World(
            now: { Gatehouse.World.real.now() + clockwork.ahead.withLock { $0 } }, random: Gatehouse.World.real.random,
            equal: Gatehouse.World.real.equal)
        let configuration = try Configuration(from: SettingSource(variables: variables))
        assembly = try Assembly(configuration, world: world, log: Log(level: .error) { _ in })
        ahead = clockwork
    }

    func setForward(by time: Duration) { ahead.ahead.withLock { $0 += time } }

    func send(_ call: Call) -> Answer {
        let request = Request(
            method: call.method, path: call.path, contentType: call.header("Content-Type"),
            authorization: call.header("Authorization"), ifNoneMatch: call.header("If-None-Match"),
            demandedRole: call.demandedRole, body: call.body,
            device: Device(userAgent: "Tests", address: "127.0.0.1"), id: "test-request")
        return Answer(parsing: assembly.router.respond(to: request).cgi(requestID: "test-request"))
    }
}
