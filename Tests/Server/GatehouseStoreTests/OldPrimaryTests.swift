import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

/// Always on PostgreSQL servers.
@Suite("An old primary that goes on running")
struct OldPrimaryTests {
    private let servers: StandbyFixture
    private let store: PostgreSQLStore
    private let sessions = (1...3).map { SampleLogin.session("\($0)", of: SampleLogin.user(1)).id }
    init() throws {
        servers = try StandbyFixture()
        store = try servers.store()
        let (user, identity) = (SampleLogin.user(1), SampleLogin.identity("s1"))
        _ = try store.create(user, with: SampleLogin.login("1", of: user, as: identity))
        for name in ["2", "3"] { _ = try store.add(SampleLogin.login(name, of: user, as: identity)) }
    }

    private func end(_ session: SessionID) throws {
        #expect(try store.revoke(session, for: .logout, recording: SampleLogin.event()))
    }

    @Test("is not used any more once the node has seen the new one, even if the new one is gone")
    func fence() throws {
        try servers.cutOff()
        try servers.promote()
        #expect(try store.session(sessions[0])?.session.revokedAt == nil)
        // It asks for a newer primary.
        store.renewConnections()
        try end(sessions[0])
        let ended = "SELECT count(*) FROM refresh_tokens WHERE revoked_at IS NOT NULL"
        #expect(try servers.onStandby(ended) == "1")
        #expect(try servers.onPrimary(ended) == "0")
        try servers.standby.stop()
        for _ in 1...3 {
            #expect(throws: Refusal.self) { try store.session(sessions[0]) }
            #expect(throws: Refusal.self) { try store.user(SampleLogin.user(1).id) }
            #expect(throws: Refusal.self) { try store.revocations(after: 0) }
            #expect(throws: Refusal.self) {
                try store.revoke(sessions[1], for: .logout, recording: SampleLogin.event())
            }
        }
        #expect(try servers.onPrimary(ended) == "0")
    }

    @Test("has used places of the log that the new primary uses again, and the new entries are read")
    func places() throws {
        try servers.cutOff()
        try servers.onPrimary(StandbyFixture.transactions(2000))
        try end(sessions[0])
        let place = try #require(try store.revocations(after: 0).last?.place)
        #expect(try store.revocations(after: place).isEmpty)
        try servers.promote()
        // Another node ends a session at the new primary, which then comes to the places of the old one.
        try servers.onStandby("UPDATE refresh_tokens SET revoked_at = 1 WHERE id = '\(sessions[1].text)'")
        let entry = try servers.onStandby("SELECT transaction FROM revocations")
        #expect(Int64(entry).map { $0 < place } == true, "\(entry) \(place)")
        try servers.onStandby(StandbyFixture.transactions(2500))
        store.renewConnections()
        #expect(try store.revocations(after: place).map(\.subject) == [.session(sessions[1])])
    }
}

/// A PostgreSQL server, and a standby of it that the test promotes while the old primary goes on running.
final class StandbyFixture {
    let primary: TemporaryPostgreSQL
    let standby: TemporaryPostgreSQL
    private let name: String

    /// Names both servers.
    var url: String {
        "postgresql:///\(name)?host=\(primary.folder),\(standby.folder)&port=\(primary.port)&user=postgres&connect_timeout=30"
    }

    init() throws {
        primary = try TemporaryPostgreSQL()
        name = try primary.execute("SELECT current_database()", in: primary.database())
        let data = primary.folder + "/standby"
        try Shell.run(
            TemporaryPostgreSQL.asServer([
                TemporaryPostgreSQL.program("pg_basebackup"), "--host=" + primary.folder, "--port=" + primary.port,
                "--username=postgres", "--pgdata=" + data, "--write-recovery-conf", "--checkpoint=fast", "--no-sync",
            ]))
        standby = try TemporaryPostgreSQL(data: data, settings: [:])
    }

    func store() throws -> PostgreSQLStore {
        try PostgreSQLStore(PostgreSQLSettings(url: url, connections: 2, timeout: .seconds(20)))
    }

    @discardableResult
    func onPrimary(_ sql: String) throws -> String { try primary.execute(sql, in: primary.url(of: name)) }

    @discardableResult
    func onStandby(_ sql: String) throws -> String { try standby.execute(sql, in: standby.url(of: name)) }

    /// Waits until the standby has everything, and cuts it off.
    func cutOff() throws {
        let position = try onPrimary("SELECT pg_current_wal_lsn()")
        let isEqual = Eventually.holds(within: 60) {
            (try? onStandby("SELECT pg_last_wal_replay_lsn() >= '\(position)'")) == "t"
        }
        try onStandby("ALTER SYSTEM SET primary_conninfo = ''")
        try onStandby("SELECT pg_reload_conf()")
        let isCutOff = Eventually.holds(within: 60) {
            (try? onStandby("SELECT count(*) FROM pg_stat_wal_receiver")) == "0"
        }
        guard isEqual, isCutOff else { throw Spawn.Failure(description: "the standby does not follow: \(standby.log)") }
    }

    func promote() throws {
        guard try onStandby("SELECT pg_promote()") == "t" else {
            throw Spawn.Failure(description: "the standby was not promoted: \(standby.log)")
        }
    }

    /// A statement that uses up this many transaction ids.
    static func transactions(_ count: Int) -> String {
        "DO $$ BEGIN FOR i IN 1..\(count) LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$"
    }
}
