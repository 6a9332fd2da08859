import Gatehouse
import SQL
import SQLite
import StoreSupport
import TestSupport
import Testing

@testable import GatehouseStore

@Suite("The revocation log")
struct RevocationLogTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let user = SampleLogin.user(1)
    private let identity = SampleLogin.identity("s1")

    init() throws {
        (database, store) = try TestDatabase.opened()
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: identity))
        _ = try store.add(SampleLogin.login("2", of: user, as: identity))
    }

    private func subjects(after place: Int64 = 0) throws -> [Revocation.Subject] {
        try store.revocations(after: place).map(\.subject)
    }

    /// The log of a server does not contain the state.
    private func userState(_ role: Role, _ status: UserStatus) -> Revocation.Subject {
        .user(user.id, TestDatabase.isOnServer ? nil : UserState(role: role, status: status))
    }

    @Test("each revocation is in the log once, in order")
    func order() throws {
        #expect(try subjects().isEmpty)
        for _ in 0..<2 { _ = try store.revoke(SessionID("sess_2"), for: .logout, recording: SampleLogin.event()) }
        #expect(try store.setRole(.admin, of: user.id, recording: SampleLogin.event(.roleChanged)))
        #expect(try subjects() == [.session(SessionID("sess_2")), userState(.admin, .active)])
        let places = try store.revocations(after: 0).map(\.place)
        #expect(places == places.sorted())
        // While another transaction is open, entries are returned again.
        let (afterFirst, afterSecond) = (try subjects(after: places[0]), try subjects(after: places[1]))
        #expect(afterFirst.last == userState(.admin, .active))
        #expect(TestDatabase.isOnServer || afterFirst.count == 1 && afterSecond.isEmpty)
    }

    @Test("a refresh, a login and a new name add no entry")
    func noEntry() throws {
        #expect(try store.advance(SessionID("sess_1"), to: SampleLogin.token(generation: 2), now: SampleLogin.noon))
        _ = try store.add(SampleLogin.login("3", of: user, as: identity))
        _ = try store.update(user.id, ProfileChange(nickname: "New"), now: SampleLogin.noon)
        #expect(try subjects().isEmpty)
    }

    @Test("a place in the log is never used again, even after every entry was removed")
    func places() throws {
        _ = try store.revoke(SessionID("sess_1"), for: .logout, recording: SampleLogin.event())
        let place = try #require(try store.revocations(after: 0).last).place
        try database.execute("DELETE FROM revocations")
        _ = try store.revoke(SessionID("sess_2"), for: .logout, recording: SampleLogin.event())
        #expect(try store.revocations(after: place).map(\.subject) == [.session(SessionID("sess_2"))])
    }

    @Test("the migration that creates the log adds the sessions that had ended before")
    func migration() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("earlier.db")
        let earlier = try Connection(path: path, access: .readWrite)
        try earlier.execute(
            script: String(decoding: SQLiteMigration.all[0].sql, as: UTF8.self) + "PRAGMA user_version = 1;")
        try earlier.execute(
            script: """
                INSERT INTO users (id, created_at, updated_at) VALUES ('user_1', 0, 0);
                INSERT INTO refresh_tokens (id, user_id, provider, client_id, token_hash, token_random, generation,
                    rotated_at, expires_at, revoked_at, revoke_reason, created_at, updated_at)
                SELECT 'sess_' || column1, 'user_1', 'APPLE', 'app', x'00', x'00', 1, 0, 9000, column2,
                    iif(column2 IS NULL, NULL, 'logout'), 0, 0
                FROM (VALUES ('a', 2000), ('b', NULL), ('c', 1000));
                """)
        let store = try SQLiteStore(path: path)
        let log = try store.revocations(after: 0)
        #expect(log.map(\.subject) == [.session(SessionID("sess_c")), .session(SessionID("sess_a"))])
        #expect(log.map(\.moment) == [Timestamp(seconds: 1), Timestamp(seconds: 2)])
        #expect(try store.session(SessionID("sess_b"))?.session.revokedAt == nil)
    }

    @Test("a command increments the revocation counter, and a change by the server does not")
    func counter() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("gatehouse.db")
        let store = try SQLiteStore(path: path)
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: identity))
        let beside = try SQLiteStore(besideServerAt: path)
        let before = store.revocationCounter
        _ = try store.revoke(SessionID("sess_1"), for: .logout, recording: SampleLogin.event())
        #expect(store.revocationCounter == before)
        beside.incrementRevocationCounter()
        #expect(store.revocationCounter != before)
        // A server that starts now begins with the current value of the counter.
        #expect(try SQLiteStore(path: path).revocationCounter == store.revocationCounter)
    }
}

/// Always on a PostgreSQL server.
@Suite("Places in the log of revocations of several nodes")
struct RevocationPlaceTests {
    private let database: TestDatabase
    private let store: PostgreSQLStore
    private let sessions = (1...2).map { SampleLogin.session("\($0)", of: SampleLogin.user(1)).id }

    init() throws {
        database = TestDatabase(url: try TemporaryPostgreSQL.shared.get().database())
        store = try PostgreSQLStore(PostgreSQLSettings(url: database.url, connections: 2))
        let (user, identity) = (SampleLogin.user(1), SampleLogin.identity("s1"))
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: identity))
        _ = try store.add(SampleLogin.login("2", of: user, as: identity))
    }

    @Test("A session that is ended by a transaction which commits late is read, although a later one was read before")
    func lateCommit() throws {
        let late = try database.connection()
        try late.executeScript("BEGIN; UPDATE refresh_tokens SET revoked_at = 1 WHERE id = '\(sessions[0].text)'")
        _ = try store.revoke(sessions[1], for: .logout, recording: SampleLogin.event())
        let early = try store.revocations(after: 0)
        #expect(early.map(\.subject) == [.session(sessions[1])])
        let place = try #require(early.last?.place)
        try late.executeScript("COMMIT")
        #expect(try store.revocations(after: place).map(\.subject).contains(.session(sessions[0])))
    }

    @Test("Everything is read after a place that the database has not given yet: it was set back")
    func setBack() throws {
        _ = try store.revoke(sessions[0], for: .logout, recording: SampleLogin.event())
        #expect(try store.revocations(after: 1 << 40).map(\.subject) == [.session(sessions[0])])
    }

    @Test("A lock on the users does not delay the reading, and a change of a user is read without the new state")
    func lockedUsers() throws {
        let user = SampleLogin.user(1).id
        #expect(try store.setRole(.admin, of: user, recording: SampleLogin.event(.roleChanged)))
        let other = try database.connection()
        try other.executeScript("BEGIN; LOCK TABLE users")
        #expect(try store.revocations(after: 0).map(\.subject) == [.user(user, nil)])
    }
}
