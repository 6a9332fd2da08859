import Gatehouse
import SQL
import StoreSupport
import TestSupport
import Testing

@testable import GatehouseStore

/// Two transactions that take the same locks in the same order never wait for each other.
@Suite("Locks of logins and links", .enabled(if: TestDatabase.isOnServer, "a file has one writer"))
struct LockOrderTests {
    enum Operation: CaseIterable { case login, link }

    private let database: TestDatabase
    private let store: PostgreSQLStore
    private let user = SampleLogin.user(1)
    private let noon = SampleLogin.noon

    init() throws {
        database = try TestDatabase()
        // A lock is waited for half of the time.
        store = try PostgreSQLStore(PostgreSQLSettings(url: database.url, timeout: .seconds(60)))
        let identity = Identity(provider: .dev, subject: "dev", email: nil)
        _ = try store.create(user, with: SampleLogin.login("0", of: user, as: identity))
    }

    /// In the order in which they are taken. The token's hash sorts after the nonce's.
    private static let keys = ["8", "9", "hashtextextended('APPLE new', 0)"]

    private func run(_ operation: Operation) throws -> Bool {
        let redemption = Redemption(
            tokenHash: [0, 0, 0, 0, 0, 0, 0, 9], nonceHash: [0, 0, 0, 0, 0, 0, 0, 8], moment: noon,
            grace: .seconds(60), expiresAt: noon + .seconds(3600))
        let identity = SampleLogin.identity("new")
        switch operation {
        case .link:
            let event = AuditEntry(.accountLinked, at: noon, userID: user.id, provider: .apple)
            return try store.link(identity, to: user.id, redeeming: redemption, queueing: nil, recording: event)
                == .linked
        case .login:
            var login = SampleLogin.login("1", of: user, as: identity)
            login.redemption = redemption
            if case .recorded = try store.record(login) { return true }
            return false
        }
    }

    /// The advisory locks of the one transaction that waits for another one; nil if none waits.
    private func held() throws -> Set<Int64>? {
        let connection = try database.connection()
        let waiting = try connection.all(
            """
            SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE NOT granted AND datname = current_database()
            """
        ) { $0.integer(0) }
        guard let process = waiting.first else { return nil }
        return Set(
            try connection.all(
                """
                SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
                WHERE granted AND locktype = 'advisory' AND pid = \(process)
                """
            ) { $0.integer(0) })
    }

    private func number(of key: String) throws -> Int64 { try database.number("SELECT \(key)") }

    @Test(
        "are waited for, each while those before it are held and those after it are not; the row of the user is the last",
        arguments: Operation.allCases, 0...keys.count)
    func order(operation: Operation, index: Int) throws {
        if operation == .login { try link() }
        let expected = Set(try Self.keys[..<index].map(number))
        let other = try database.connection()
        let lock =
            index < Self.keys.count
            ? "SELECT pg_advisory_xact_lock(\(Self.keys[index]))"
            : "SELECT 1 FROM users WHERE id = 'user_1' FOR NO KEY UPDATE"
        try other.executeScript("SET idle_in_transaction_session_timeout = 0; BEGIN; \(lock)")
        let done = Background { (try? run(operation)) == true ? [1] : [] }
        #expect(Eventually.holds { (try? held()) ?? nil == expected })
        try other.executeScript("ROLLBACK")
        #expect(done.result() == [1])
    }

    /// So that the identity has a user.
    private func link() throws {
        let redemption = Redemption(
            tokenHash: [1], nonceHash: nil, moment: noon, grace: .seconds(60), expiresAt: noon + .seconds(3600))
        _ = try store.link(
            SampleLogin.identity("new"), to: user.id, redeeming: redemption, queueing: nil,
            recording: AuditEntry(.accountLinked, at: noon, userID: user.id, provider: .apple))
    }
}
