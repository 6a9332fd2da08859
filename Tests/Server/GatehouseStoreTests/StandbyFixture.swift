import GatehouseStore
import TestSupport

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
