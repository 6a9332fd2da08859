import Gatehouse
import POSIX
import SQL
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import GatehouseStore

/// On a server, an operator's transaction can hold the lock of a row.
@Suite("A session whose row is locked", .enabled(if: TestDatabase.isOnServer, "only a server locks rows"))
struct LockedSessionTests {
    private static let timeout = Duration.seconds(20)
    /// When a late request arrived. What is left of its time is shorter than a wait for a lock, which is half of the
    /// timeout, and long enough for it to queue up on a busy machine.
    private static let delay = Duration.seconds(-15)
    /// The server must not end a transaction that holds a lock for longer than it may be idle.
    private static let begin = "SET idle_in_transaction_session_timeout = 0; BEGIN"
    private let database: TestDatabase
    private let store: PostgreSQLStore

    init() throws {
        database = try TestDatabase()
        store = try PostgreSQLStore(PostgreSQLSettings(url: database.url, timeout: Self.timeout))
    }

    private func addSessions(_ count: Int) throws -> [SessionID] {
        try (1...count).map { number in
            let user = try store.signUp(number)
            return SampleLogin.session("\(number)", of: user).id
        }
    }

    @Test("Its change fails when the time to wait is over, and the other changes of the batch are made")
    func failsAlone() throws {
        let sessions = try addSessions(8)
        let other = try database.connection()
        try other.executeScript("\(Self.begin)")
        _ = try other.first("SELECT id FROM refresh_tokens WHERE id = ? FOR UPDATE", .text(sessions[3].text)) { _ in 0 }
        let failed = try Concurrently.run(sessions.count) { number -> Int? in
            do {
                let decided = try store.refresh(sessions[number], now: SampleLogin.noon) { session, _ in
                    .end(session.ended(for: .reuse, at: SampleLogin.noon), recording: SampleLogin.event())
                }
                return decided == nil ? number : nil
            } catch {
                #expect("\(error)".contains("storageUnavailable"))
                return number
            }
        }
        #expect(failed.compactMap { $0 } == [3])
        try other.executeScript("ROLLBACK")
        #expect(try store.session(sessions[3])?.session.revokeReason == nil)
    }

    @Test("A request whose time is over fails alone, and another one leads the batch, which may succeed")
    func leaderIsLate() throws {
        let sessions = try addSessions(3)
        let (hasBegun, isLate) = (Flag(), Flag())
        let (database, store) = (database, store)
        let ended = try Concurrently.run(4) { number -> Int? in
            #expect(number == 0 || Eventually.holds { hasBegun.isUp })
            if number == 3 {
                // All requests of the second batch wait for this lock, since it locks a table.
                let other = try database.connection()
                try other.executeScript("\(Self.begin); LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
                #expect(Eventually.holds { isLate.isUp })
                try other.executeScript("ROLLBACK")
                return nil
            }
            // The first batch has one request; the other two wait for it, and are the second batch in this order.
            #expect(number < 2 || Eventually.holds { store.refreshes.waitingCount == 1 })
            defer { if number == 1 { isLate.raise() } }
            return RequestArrival.at(number == 1 ? .now + Self.delay : .now) {
                let decided = try? store.refresh(sessions[number], now: SampleLogin.noon) { session, _ in
                    if number == 0 {
                        hasBegun.raise()
                        #expect(
                            Eventually.holds { store.refreshes.waitingCount == 2 && hasWaitingLock(database) })
                    }
                    return .end(
                        session.ended(for: .reuse, at: SampleLogin.noon), recording: SampleLogin.event())
                }
                return decided == nil ? nil : number
            }
        }
        #expect(ended.compactMap { $0 }.sorted() == [0, 2])
    }

    @Test("A read whose time is over does not fail the reads that wait for the next batch")
    func readerIsLate() throws {
        let user = SampleLogin.user(1)
        _ = try addSessions(1)
        let (database, store) = (database, store)
        let other = try database.connection()
        try other.executeScript("\(Self.begin); LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
        let late = Background {
            RequestArrival.at(.now + Self.delay) { (try? store.user(user.id)) == nil ? [] : [1] }
        }
        #expect(Eventually.holds { hasWaitingLock(database) })
        let inTime = Background { (try? store.user(user.id)) == nil ? [] : [1] }
        #expect(late.result().isEmpty)
        try other.executeScript("ROLLBACK")
        #expect(inTime.result() == [1])
    }
}

private func hasWaitingLock(_ database: TestDatabase) -> Bool {
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'users'::regclass"
    return (try? database.number(waiting)) == 1
}

private final class Flag: Sendable {
    private let value = Atomic(false)

    var isUp: Bool { value.load(ordering: .acquiring) }

    func raise() { value.store(true, ordering: .releasing) }
}
