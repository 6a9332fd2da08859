import Foundation
import Gatehouse
import GatehouseWeb
import IdentityProviders
import JSON
import StoreSupport
import Synchronization
import TestSupport

@testable import GatehouseServer

/// The request handler in this process, with a clock that tests can advance.
final class InProcessServer: TestServer {
    let apple: FakeAppleIssuer
    private let folder: TemporaryFolder
    private let variables: [String: String]
    private let sharedState: SharedState
    /// How far the clock of this node is ahead of the others'.
    private let clockError: ClockError
    private let assembly: Mutex<Assembly>
    /// Whether notices to owners are sent after each request that may have caused one.
    let sendsNotices = Atomic(true)

    private final class ClockError: Sendable {
        let value = Mutex(Duration.zero)
    }

    /// State that is kept across restarts.
    private final class SharedState: Sendable {
        let clockOffset = Mutex(Duration.zero)
        let log = Mutex("")
    }

    init(_ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        apple = try FakeAppleIssuer()
        var variables = try TestSettings.standard(folder: folder.path, keysURL: apple.keysURL)
        adjust(&variables)
        self.variables = variables
        sharedState = SharedState()
        clockError = ClockError()
        assembly = try Mutex(Self.assembly(variables, sharedState, clockError))
        if TestDatabase.isOnServer { follow() }
    }

    /// In a server, a background thread does this all the time.
    private func follow() {
        Foundation.Thread.detachNewThread { [weak self] in
            while let auth = self?.assembly.withLock({ $0.auth }) { try? auth.followRevocations() }
        }
    }

    /// A second server on the database and with the clock of another one.
    init(beside other: InProcessServer) throws {
        (folder, apple, variables, sharedState) = (other.folder, other.apple, other.variables, other.sharedState)
        clockError = ClockError()
        assembly = try Mutex(Self.assembly(variables, sharedState, clockError))
        if TestDatabase.isOnServer { follow() }
    }

    private static func assembly(
        _ variables: [String: String], _ sharedState: SharedState, _ clockError: ClockError
    ) throws -> Assembly {
        let time: @Sendable () -> Timestamp = { Platform.system.now() + sharedState.clockOffset.withLock { $0 } }
        let platform = Platform(
            now: { time() + clockError.value.withLock { $0 } }, uptime: { .milliseconds(time().milliseconds) },
            random: Platform.system.random, equal: Platform.system.equal)
        let log = Log(level: .info) { line in sharedState.log.withLock { $0 += line + "\n" } }
        return try Assembly(Configuration(from: SettingSource(variables: variables)), platform: platform, log: log)
    }

    /// The file of the database, where it is one.
    var database: String { folder.file("g.db") }
    var testDatabase: TestDatabase { TestDatabase(url: variables["DATABASE_URL"] ?? "") }

    var routes: [Route] { assembly.withLock { $0.handler }.services.value.router.routes }

    var log: String { sharedState.log.withLock { $0 } }

    /// Lets time pass, also for the clock of the database.
    func advanceClock(by time: Duration) {
        let offset = sharedState.clockOffset.withLock { offset in
            offset += time
            return offset
        }
        guard TestDatabase.isOnServer else { return }
        do { try setDatabaseClock(aheadBy: offset) } catch { preconditionFailure("\(error)") }
    }

    /// Sets the clock of this node alone.
    func setClock(aheadBy error: Duration) { clockError.value.withLock { $0 = error } }

    /// Only for a database on a server.
    func setDatabaseClock(aheadBy offset: Duration) throws {
        let offset = offset / .milliseconds(1)
        try testDatabase.execute(
            """
            CREATE OR REPLACE FUNCTION gatehouse_now() RETURNS BIGINT LANGUAGE sql VOLATILE
            AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000 + \(offset))::bigint $$
            """)
    }

    var isReady: Bool { assembly.withLock { $0.health }.readiness().isReady }

    /// In a server, a background thread does this.
    func renewKeys() { assembly.withLock { $0.keys }.renewIfDue() }

    /// Fetches the keys of these providers, until they are there: on a busy machine, a stand-in may answer too late at first.
    func fetchProviderKeys(_ names: Set<String>) {
        let registry = assembly.withLock { $0.providers }
        _ = Eventually.holds {
            registry.renewKeysIfDue()
            return registry.keySetAges.allSatisfy { $0.age != nil || !names.contains($0.provider.rawValue) }
        }
    }

    /// New tokens of a session that was signed in this way: `methods` of its row.
    func refresh(_ login: TestResponse, signedInBy methods: String?) throws -> TestResponse {
        let (id, value) = (login.accessClaims["sid"]?.string ?? "", methods.map { "'\($0)'" } ?? "NULL")
        try testDatabase.execute("UPDATE refresh_tokens SET methods = \(value) WHERE id = '\(id)'")
        return try refresh(login.refreshToken)
    }

    /// Reads the revocations of other processes.
    func followRevocations() throws {
        try assembly.withLock { $0.auth }.followRevocations()
    }

    /// In a server, a background thread does this.
    func runAppleTasks() throws { while try assembly.withLock({ $0.auth }).runNextAppleTask() {} }

    /// In a server, a background thread does this.
    func sendNotices() {
        let (auth, notices) = assembly.withLock { ($0.auth, $0.notices) }
        while (try? auth.sendNextNotice(from: notices)) == true {}
    }

    /// As a process that ends before it has sent the notice.
    func takeNotice() throws -> QueuedNotice? {
        try assembly.withLock { assembly in try assembly.notices.takeNotice(now: assembly.platform.now()) }
    }

    /// In a server, a background thread does this every second.
    func runMaintenance() throws {
        _ = try assembly.withLock { $0.auth }.runMaintenance()
    }

    /// Restarts on the same database, as after a kill: what the server has not written is lost.
    func restart(_ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        var variables = variables
        adjust(&variables)
        let next = try Self.assembly(variables, sharedState, clockError)
        assembly.withLock { $0 = next }
    }

    func send(_ sent: TestRequest) -> TestResponse {
        let request = Request(
            method: sent.method, path: Array(sent.documentPath.utf8)[...], envelope: TestRequestEnvelope(request: sent),
            body: sent.body, id: sent.id)
        var bytes: [UInt8] = []
        assembly.withLock { $0.handler }.answer(request)
            .write(answering: request.method, requestID: sent.id, to: &bytes)
        if sent.method != "GET", sendsNotices.load(ordering: .relaxed) { sendNotices() }
        return TestResponse(parsing: bytes).checked(against: sent, through: .responder)
    }
}
