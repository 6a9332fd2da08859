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
        database = try TestDatabase()
        store = try database.store()
        raw = try database.connection()
        _ = try store.create(user, with: SampleLogin.login("0", of: user, as: SampleLogin.identity("s")))
        _ = try store.purge(removingNothing)
    }

    private var removingNothing: PurgeLimits {
        PurgeLimits(
            sessionsExpired: Timestamp(seconds: 0), redemptionsExpired: Timestamp(seconds: 0),
            revocationsBefore: Timestamp(seconds: 0),
            auditEventsBefore: Timestamp(seconds: 0))
    }

    private func limits(
        sessions: Timestamp? = nil, redemptions: Timestamp? = nil, revocations: Timestamp? = nil,
        audit: Timestamp? = nil
    )
        -> PurgeLimits
    {
        let start = Timestamp(seconds: 0)
        return PurgeLimits(
            sessionsExpired: sessions ?? start, redemptionsExpired: redemptions ?? start,
            revocationsBefore: revocations ?? start,
            auditEventsBefore: audit ?? start)
    }

    private func count(_ table: String) throws -> Int64 {
        try raw.first("SELECT count(*) FROM \(table)") { $0.integer(0) } ?? -1
    }

    private func purge(_ limits: PurgeLimits) throws {
        for _ in 0..<1000 where try !store.purge(limits) { return }
        Issue.record("the purge does not end")
    }

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
        try purge(limits(sessions: noon))
        #expect(try count("refresh_tokens") == 2001)
        #expect(
            try raw.first("SELECT count(*) FROM refresh_tokens WHERE expires_at < ?", .integer(noon.milliseconds)) {
                $0.integer(0)
            } == 0)
    }

    @Test("a session that expires after a round is removed in the next one")
    func rounds() throws {
        try fill(sessions: 1200)
        try purge(limits(sessions: noon))
        try purge(limits(sessions: noon + .seconds(1)))
        for _ in 0..<5 { _ = try store.purge(limits(sessions: noon + .seconds(1))) }
        #expect(try count("refresh_tokens") == 1)
    }

    @Test("old entries of both logs are removed, and newer ones stay")
    func logs() throws {
        for second in 0..<700 {
            try store.record([AuditEvent(.login, at: noon + .seconds(second))])
        }
        try raw.executeScript(
            """
            INSERT INTO revocations (moment, session_id)
            SELECT moment, 'sess_' || id FROM audit_events WHERE kind = 'login' AND user_id IS NULL
            """)
        try purge(limits(revocations: noon + .seconds(600), audit: noon + .seconds(650)))
        #expect(try count("revocations") == 100)
        #expect(try count("audit_events") == 50)
    }

    private func record(_ moments: [Timestamp]) throws {
        for moment in moments { try store.record([AuditEvent(.login, at: moment)]) }
    }

    private func auditMoments() throws -> [Int64] {
        try raw.all("SELECT moment FROM audit_events WHERE user_id IS NULL ORDER BY id") {
            ($0.integer(0) - noon.milliseconds) / 1000
        }
    }

    private func purgeAudit(before limit: Timestamp, now: Timestamp) throws {
        let start = Timestamp(seconds: 0)
        try purge(
            PurgeLimits(
                now: now, sessionsExpired: start, redemptionsExpired: start, revocationsBefore: start,
                auditEventsBefore: limit))
    }

    @Test("rows from the future do not keep those behind them, and are deleted with them")
    func future() throws {
        let wrong = noon + .seconds(91 * 86_400)
        for second in 0..<600 { try record([wrong + .seconds(second)]) }
        try record([noon + .seconds(1), wrong, noon + .seconds(100), wrong])
        try purgeAudit(before: noon + .seconds(50), now: noon + .seconds(110))
        #expect(try auditMoments() == [91 * 86_400, 100, 91 * 86_400])
        try purgeAudit(before: noon + .seconds(101), now: noon + .seconds(110))
        #expect(try auditMoments() == [91 * 86_400])
    }

    @Test("a row that a clock far behind has written is kept as long as those around it")
    func past() throws {
        try record([noon, Timestamp(seconds: 1), noon + .seconds(10), Timestamp(seconds: 2), noon + .seconds(20)])
        try purgeAudit(before: noon, now: noon + .seconds(30))
        #expect(try auditMoments().count == 5)
        try purgeAudit(before: noon + .seconds(1), now: noon + .seconds(30))
        #expect(try auditMoments().count == 3)
    }

    @Test("a step removes a small part of a large backlog, and reports that there is more")
    func steps() throws {
        try fill(sessions: 50_000)
        #expect(try store.purge(limits(sessions: noon + .seconds(1))))
        #expect(try count("refresh_tokens") >= 49_500)
    }
}
