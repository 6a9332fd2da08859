import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import Synchronization
import TestSupport
import Testing

@Suite("A PostgreSQL store with one connection", .enabled(if: TestDatabase.isOnServer, "a file needs no pool"))
struct BusyPoolTests {
    private let database: TestDatabase
    private let store: PostgreSQLStore

    init() throws {
        database = try TestDatabase()
        store = try PostgreSQLStore(PostgreSQLSettings(url: database.url, connections: 1, timeout: .seconds(60)))
    }

    @Test("What other nodes have ended is read while the connection of requests is busy")
    func revocations() throws {
        let user = try store.signUp()
        let other = try database.store()
        _ = try other.revoke(SampleLogin.session("1", of: user).id, for: .logout, recording: SampleLogin.event())
        let read = Mutex(0)
        let store = store
        let isHeld = try store.write { _ in
            read.withLock { $0 = (try? store.revocations(after: 0).count) ?? -1 }
            return true
        }
        #expect(isHeld)
        #expect(read.withLock { $0 } == 1)
    }

    @Test("Maintenance needs no second one")
    func purge() throws {
        let past = SampleLogin.noon - .seconds(100)
        try store.record([SampleLogin.event(at: past)])
        try store.purgeAll(PurgeLimits(audit: SampleLogin.noon))
        #expect(try database.number("SELECT count(*) FROM audit_events") == 0)
    }

    @Test("An event that is recorded while its user is deleted keeps no device, and the deletion waits for it")
    func deletion() throws {
        let user = try store.signUp()
        let session = SampleLogin.session("1", of: user).id
        // As the end of a session does: the lock first, then the event.
        let other = try database.connection()
        try other.executeScript("SET idle_in_transaction_session_timeout = 0; BEGIN")
        _ = try other.first("SELECT id FROM refresh_tokens WHERE id = ? FOR UPDATE", .text(session.text)) { _ in 0 }
        try other.executeScript(
            """
            INSERT INTO audit_events (moment, kind, actor, user_id, address, user_agent, count)
            VALUES (1, 'logout', 'user', '\(user.id.text)', '192.0.2.9', 'App/9', 1)
            """)
        let store = store
        let deletion = Background {
            _ = try? store.delete(user.id, queueing: nil, recording: SampleLogin.event(.userDeleted))
            return []
        }
        let isWaiting = Eventually.holds {
            (try? database.number(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"))
                ?? 0 > 0
        }
        #expect(isWaiting)
        try other.executeScript("COMMIT")
        _ = deletion.result()
        #expect(try database.number("SELECT count(*) FROM users WHERE status = 'DELETED'") == 1)
        #expect(
            try database.number(
                "SELECT count(*) FROM audit_events WHERE address IS NOT NULL AND user_id = '\(user.id.text)'") == 0)
    }
}
