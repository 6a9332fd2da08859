import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

@Suite("Maintenance")
struct PurgeTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let raw: any ScriptConnection
    private let user = SampleLogin.user(1)
    private let noon = SampleLogin.noon

    init() throws {
        (database, store) = try TestDatabase.opened()
        raw = try database.connection()
        _ = try store.create(user, with: SampleLogin.login("0", of: user, as: SampleLogin.identity("s")))
        _ = try store.purge(PurgeLimits())
    }

    private func count(_ table: String) throws -> Int64 { try database.number("SELECT count(*) FROM \(table)") }

    /// Inserts sessions. Every third one has expired.
    private func fill(sessions: Int) throws {
        try raw.run(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(sessions))
            INSERT INTO refresh_tokens (id, user_id, provider, client_id, token_hash, token_random, generation,
                rotated_at, expires_at, created_at, updated_at)
            SELECT 'sess_' || (10000000 + i), 'user_1', 'APPLE', 'app', ?1, ?1, 1, 0,
                CASE WHEN i % 3 = 0 THEN \(noon.milliseconds - 1) ELSE \(noon.milliseconds) END, 0, 0 FROM n
            """, .blob([1]))
    }

    @Test("expired sessions are removed, and no others")
    func sessions() throws {
        try fill(sessions: 3000)
        try store.purgeAll(PurgeLimits(sessions: noon))
        #expect(try count("refresh_tokens") == 2001)
        #expect(
            try raw.first("SELECT count(*) FROM refresh_tokens WHERE expires_at < ?", .integer(noon.milliseconds)) {
                $0.integer(0)
            } == 0)
    }

    @Test("a session that expires after a round is removed in the next one")
    func rounds() throws {
        try fill(sessions: 1200)
        try store.purgeAll(PurgeLimits(sessions: noon))
        try store.purgeAll(PurgeLimits(sessions: noon + .seconds(1)))
        for _ in 0..<5 { _ = try store.purge(PurgeLimits(sessions: noon + .seconds(1))) }
        #expect(try count("refresh_tokens") == 1)
    }

    @Test("guests, none of whom has expired, are no work that is left, and the next round looks at the next ones")
    func guests() throws {
        try raw.executeScript(
            """
            INSERT INTO users (id, guest_key, last_login_at, created_at, updated_at)
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 501)
            SELECT 'user_' || (1000 + i), 'key ' || (1000 + i),
                CASE WHEN i = 501 THEN 0 ELSE \(noon.milliseconds) END, 0, 0 FROM n
            """)
        let rounds = try (0..<2).map { _ in try store.expireGuests(unusedSince: noon, now: noon) }
        #expect(rounds.map(\.count) == [0, 1] && !rounds[0].hasMore)
    }

    @Test("old entries of both logs are removed, and newer ones stay")
    func logs() throws {
        try record((0..<700).map { noon + .seconds($0) })
        try raw.executeScript(
            """
            INSERT INTO revocations (moment, session_id)
            SELECT moment, 'sess_' || id FROM audit_events WHERE kind = 'login' AND user_id IS NULL
            """)
        try store.purgeAll(PurgeLimits(revocations: noon + .seconds(600), audit: noon + .seconds(650)))
        #expect(try count("revocations") == 100)
        #expect(try count("audit_events") == 50)
    }

    private func record(_ moments: [Timestamp]) throws {
        try store.record(moments.map { AuditEntry(.login, at: $0) })
    }

    private func auditMoments() throws -> [Int64] {
        try raw.all("SELECT moment FROM audit_events WHERE user_id IS NULL ORDER BY id") {
            ($0.integer(0) - noon.milliseconds) / 1000
        }
    }

    @Test("rows from the future do not keep those behind them, and are deleted with them")
    func future() throws {
        let wrong = noon + .seconds(91 * 86_400)
        try record((0..<600).map { wrong + .seconds($0) })
        try record([noon + .seconds(1), wrong, noon + .seconds(100), wrong])
        try store.purgeAll(PurgeLimits(at: noon + .seconds(110), audit: noon + .seconds(50)))
        #expect(try auditMoments() == [91 * 86_400, 100, 91 * 86_400])
        try store.purgeAll(PurgeLimits(at: noon + .seconds(110), audit: noon + .seconds(101)))
        #expect(try auditMoments() == [91 * 86_400])
    }

    @Test("a row that a clock far behind has written is kept as long as those around it")
    func past() throws {
        try record([noon, Timestamp(seconds: 1), noon + .seconds(10), Timestamp(seconds: 2), noon + .seconds(20)])
        try store.purgeAll(PurgeLimits(at: noon + .seconds(30), audit: noon))
        #expect(try auditMoments().count == 5)
        try store.purgeAll(PurgeLimits(at: noon + .seconds(30), audit: noon + .seconds(1)))
        #expect(try auditMoments().count == 3)
    }

    @Test("many redemptions that live for months do not keep those behind them")
    func longLived() throws {
        let connection = try database.connection()
        for index in 0..<1200 {
            let end = index < 1100 ? noon + .seconds(7_000_000) : noon
            try connection.run(
                "INSERT INTO redemptions (hash, token_hash, moment, expires_at) VALUES (?, ?, ?, ?)",
                .blob(Array("\(index)".utf8)), .blob([1]), .integer(noon.milliseconds), .integer(end.milliseconds))
        }
        for _ in 0..<6 { _ = try store.purge(PurgeLimits(redemptions: noon + .seconds(1))) }
        #expect(try count("redemptions") == 1100)
    }

    @Test("a step removes a small part of a large backlog, and reports that there is more")
    func steps() throws {
        try fill(sessions: 50_000)
        #expect(try store.purge(PurgeLimits(sessions: noon + .seconds(1))))
        #expect(try count("refresh_tokens") >= 49_500)
    }
}
