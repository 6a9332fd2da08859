import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

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
