import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

@Suite("The session limit in the store")
struct SessionLimitStoreTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let user = SampleLogin.user(1)

    init() throws {
        database = try TestDatabase()
        store = try database.store()
    }

    private func logIn(_ number: Int, limit: Int) throws -> [SessionID] {
        let moment = SampleLogin.noon + .milliseconds(number)
        let login = SampleLogin.login("\(1000 + number)", of: user, as: SampleLogin.identity("s"), at: moment)
        guard case .recorded(_, let ended) = try store.record(login, limit: limit) else {
            Issue.record("not recorded")
            return []
        }
        return ended
    }

    private func rows() throws -> Int64? {
        try database.connection()
            .first("SELECT count(*) FROM refresh_tokens") { $0.integer(0) }
    }

    @Test("a login ends the sessions beyond the limit, oldest first, and returns their IDs")
    func ended() throws {
        for number in 0..<3 { #expect(try logIn(number, limit: 3).isEmpty) }
        #expect(try logIn(3, limit: 3) == [SessionID("sess_1000")])
        #expect(try Set(logIn(4, limit: 1).map(\.text)) == ["sess_1001", "sess_1002", "sess_1003"])
        #expect(try store.session(SessionID("sess_1001"))?.session.revokeReason == .sessionLimit)
    }

    @Test("a login never ends its own session, even if the clock was set back")
    func clock() throws {
        for number in 10..<13 { _ = try logIn(number, limit: 3) }
        let earlier = try logIn(0, limit: 3)
        #expect(earlier == [SessionID("sess_1010")])
        #expect(try store.session(SessionID("sess_1000"))?.session.revokedAt == nil)
    }

    private func count(_ condition: String) throws -> Int64 {
        try database.number("SELECT count(*) FROM refresh_tokens WHERE \(condition)")
    }

    @Test("a login by a clock that is far ahead deletes no session that is alive")
    func ahead() throws {
        for number in 0..<251 { _ = try logIn(number, limit: 150) }
        #expect(try count("revoked_at IS NULL") == 150)
        _ = try logIn(91 * 86_400_000, limit: 150)
        #expect(try count("revoked_at IS NULL") == 151)
    }

    @Test("ending all sessions by a clock that is far ahead ends those that are alive")
    func revokedAhead() throws {
        for number in 0..<3 { _ = try logIn(number, limit: 3) }
        let event = SampleLogin.event(.logoutEverywhere, at: SampleLogin.noon + .seconds(91 * 86_400))
        #expect(try store.revokeAll(of: user.id, for: .logoutEverywhere, recording: event).count == 3)
        #expect(try count("revoked_at IS NULL") == 0)
    }

    @Test("repeated logins and logouts of a user do not grow the database")
    func growth() throws {
        for number in 0..<250 {
            _ = try logIn(number, limit: 5)
            if number.isMultiple(of: 2) {
                #expect(
                    try store.revoke(
                        SessionID("sess_\(1000 + number)"), for: .logout, recording: SampleLogin.event(.logout)))
            }
        }
        #expect(try #require(try rows()) <= 106)
        let alive = try store.sessions(of: user.id, aliveAt: SampleLogin.noon + .seconds(1))
        #expect(Set(alive.map(\.id.text)) == ["sess_1249", "sess_1247", "sess_1245", "sess_1243", "sess_1241"])
    }
}
