import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

@Suite("Redeemed tokens and nonces")
struct RedemptionTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let user = SampleLogin.user(1)
    private let noon = SampleLogin.noon

    init() throws {
        (database, store) = try TestDatabase.opened()
        _ = try store.create(user, with: SampleLogin.login("0", of: user, as: SampleLogin.identity("s")))
    }

    private func redemption(
        _ token: UInt8, nonce: UInt8? = nil, after seconds: Double = 0, grace: Duration = .seconds(60)
    ) -> Redemption {
        Redemption(
            tokenHash: [token], nonceHash: nonce.map { [0, $0] },
            moment: noon + .milliseconds((seconds * 1000).rounded()),
            grace: grace,
            expiresAt: noon + .seconds(3600))
    }

    private func record(
        _ name: String, _ redemption: Redemption, of owner: User? = nil, as subject: String = "s",
        task: AppleTask? = nil
    ) throws -> LoginOutcome {
        var login = SampleLogin.login(
            name, of: owner ?? user, as: SampleLogin.identity(subject, email: "late@example.com"), nickname: "Late")
        login.redemption = redemption
        login.task = task
        return try store.record(login)
    }

    private func isRecorded(_ outcome: LoginOutcome) -> Bool {
        if case .recorded = outcome { true } else { false }
    }

    private func count(_ table: String) throws -> Int64 { try database.number("SELECT count(*) FROM \(table)") }

    @Test(
        "a token is accepted again until its grace period ends, which begins with the first use",
        arguments: [(0.001, true), (59.999, true), (60, true), (60.001, false), (86_400, false)])
    func grace(seconds: Double, isAccepted: Bool) throws {
        #expect(isRecorded(try record("1", redemption(7))))
        _ = try record("2", redemption(7, after: min(seconds, 30)))
        let outcome = try record("3", redemption(7, after: seconds))
        #expect(isAccepted ? isRecorded(outcome) : outcome == .refused(.replayed))
        #expect(try count("redemptions") == 1)
    }

    @Test(
        "without a grace period a token is refused again, even in the same millisecond or if the clock was set back",
        arguments: [0, -0.002])
    func noGrace(seconds: Double) throws {
        #expect(isRecorded(try record("1", redemption(7, grace: .zero))))
        #expect(try record("2", redemption(7, after: seconds, grace: .zero)) == .refused(.replayed))
    }

    @Test(
        "of concurrent logins with one token, one succeeds without a grace period and all succeed with one",
        arguments: [Duration.zero, .seconds(60)])
    func concurrent(grace: Duration) throws {
        let outcomes = try Concurrently.run(64) { number in
            try answered { try record("c\(number)", redemption(7, grace: grace)) }
        }
        #expect(outcomes.count(where: isRecorded) == (grace == .zero ? 1 : 64))
        #expect(outcomes.count { $0 == .refused(.replayed) } == (grace == .zero ? 63 : 0))
    }

    @Test("a nonce is accepted with one token only")
    func nonce() throws {
        #expect(isRecorded(try record("1", redemption(1, nonce: 9))))
        #expect(isRecorded(try record("2", redemption(1, nonce: 9, after: 1))))
        #expect(try record("3", redemption(2, nonce: 9, after: 1)) == .refused(.usedNonce))
        #expect(try record("4", redemption(1, nonce: 9, after: 61)) == .refused(.replayed))
        #expect(isRecorded(try record("5", redemption(2, nonce: 8, after: 61))), "the refused token was not used up")
        #expect(isRecorded(try record("6", redemption(3, after: 61))))
    }

    @Test("a refused login changes nothing", arguments: [LoginRefusal.replayed, .usedNonce])
    func nothingStays(expected: LoginRefusal) throws {
        let first = SampleLogin.user(2)
        #expect(isRecorded(try record("1", redemption(1, nonce: 9), of: first, as: "other")))
        let tables = ["users", "auth_accounts", "refresh_tokens", "redemptions", "audit_events", "apple_tasks"]
        let before = try tables.map(count)
        let bad = expected == .replayed ? redemption(1, nonce: 9, after: 61) : redemption(2, nonce: 9)
        #expect(try record("2", bad) == .refused(expected))
        #expect(try record("3", bad, of: SampleLogin.user(3), as: "new") == .refused(expected))
        #expect(try tables.map(count) == before)
        #expect(try store.user(user.id) == user, "neither email nor name is filled")
        #expect(try store.user(UserID("user_3")) == nil)
    }

    @Test("a login of a disabled user redeems nothing")
    func disabledUser() throws {
        #expect(try store.disable(user.id, recording: SampleLogin.event(.userDisabled)))
        var disabled = user
        disabled.status = .disabled
        #expect(try record("1", redemption(1, nonce: 9)) == .refused(.inactive(disabled)))
        #expect(try count("redemptions") == 0)
        #expect(try store.enable(user.id, recording: SampleLogin.event(.userEnabled)))
        #expect(isRecorded(try record("2", redemption(1, nonce: 9, after: 3600))))
        #expect(try store.disable(user.id, recording: SampleLogin.event(.userDisabled)))
        guard case .refused(.inactive) = try record("3", redemption(1, nonce: 9, after: 86_400)) else {
            return #expect(Bool(false), "the refusal of a disabled user is the same for a used token")
        }
    }

    @Test("a retry does not queue the exchange of its code again")
    func oneExchange() throws {
        let task = AppleTask(
            kind: .exchange, userID: user.id, clientID: "com.example.app", sealed: [1], dueAt: noon,
            expiresAt: noon + .seconds(300))
        #expect(isRecorded(try record("1", redemption(1), task: task)))
        #expect(isRecorded(try record("2", redemption(1, after: 1), task: task)))
        #expect(try count("apple_tasks") == 1)
        #expect(isRecorded(try record("3", redemption(2), task: task)))
        #expect(try count("apple_tasks") == 2)
    }

    @Test("a link redeems its token and its nonce too")
    func link() throws {
        let event = SampleLogin.event(.accountLinked)
        func link(_ owner: User, _ redemption: Redemption) throws -> LinkOutcome {
            try store.link(
                Identity(provider: .dev, subject: owner.id.text, email: nil), to: owner.id, redeeming: redemption,
                queueing: nil, recording: event)
        }
        #expect(try link(user, redemption(1, nonce: 9)) == .linked)
        #expect(try link(user, redemption(1, nonce: 9, after: 60)) == .linked)
        #expect(try link(user, redemption(1, nonce: 9, after: 61)) == .replayed)
        #expect(try link(user, redemption(2, nonce: 9)) == .usedNonce)
        #expect(try record("1", redemption(1, after: 61)) == .refused(.replayed))
        #expect(try record("2", redemption(3, nonce: 9)) == .refused(.usedNonce))
    }

    @Test("a refused link redeems nothing")
    func refusedLink() throws {
        let other = SampleLogin.user(2)
        _ = try store.create(other, with: SampleLogin.login("1", of: other, as: SampleLogin.identity("theirs")))
        for subject in ["s", "new"] {
            let outcome = try store.link(
                SampleLogin.identity(subject), to: other.id, redeeming: redemption(1), queueing: nil,
                recording: SampleLogin.event(.accountLinked))
            #expect(outcome == .taken)
        }
        let outcome = try store.link(
            SampleLogin.identity("x"), to: UserID("user_9"), redeeming: redemption(1), queueing: nil,
            recording: SampleLogin.event(.accountLinked))
        #expect(outcome == .callerEnded)
        _ = try store.delete(other.id, recording: SampleLogin.event(.userDeleted))
        let deleted = try store.link(
            SampleLogin.identity("x"), to: other.id, redeeming: redemption(1), queueing: nil,
            recording: SampleLogin.event(.accountLinked))
        #expect(deleted == .callerEnded)
        #expect(try count("redemptions") == 0)
    }

    @Test("redemptions persist when the store is opened again")
    func reopened() throws {
        _ = try record("1", redemption(1, nonce: 9))
        let next = try database.store()
        var login = SampleLogin.login("2", of: user, as: SampleLogin.identity("s"))
        login.redemption = redemption(1, nonce: 9, after: 61)
        #expect(try next.record(login) == .refused(.replayed))
        login.redemption = redemption(2, nonce: 9)
        #expect(try next.record(login) == .refused(.usedNonce))
    }

    @Test("a redemption from the future has no grace, and one by a clock that differs little has", arguments: [30, 31])
    func future(seconds: Double) throws {
        _ = try record("1", redemption(1, after: seconds))
        let outcome = try record("2", redemption(1))
        #expect((outcome == .refused(.replayed)) == (seconds > 30))
    }

    @Test("maintenance removes expired redemptions, and no others")
    func purge() throws {
        for token in 1...3 {
            _ = try record(
                "\(token)",
                Redemption(
                    tokenHash: [UInt8(token)], nonceHash: [0, UInt8(token)], moment: noon, grace: .seconds(60),
                    expiresAt: noon + .seconds(token)))
        }
        func purge(before limit: Timestamp) throws { try store.purgeAll(PurgeLimits(redemptions: limit)) }
        try purge(before: noon + .seconds(1))
        #expect(try count("redemptions") == 6)
        try purge(before: noon + .seconds(2))
        #expect(try count("redemptions") == 4)
        #expect(try record("4", redemption(2, after: 61)) == .refused(.replayed))
        try purge(before: noon + .seconds(4))
        #expect(try count("redemptions") == 0)
    }

    @Test(
        "the end of a session or of an account reads no other redemptions",
        .enabled(if: TestDatabase.isOnServer, "SQLite has no such statistics"),
        arguments: [
            "UPDATE refresh_tokens SET revoked_at = 1, revoke_reason = 'revoked'", "DELETE FROM auth_accounts",
        ])
    func indexed(end: String) throws {
        let connection = try database.connection()
        // A few rows are read as a whole otherwise.
        try connection.executeScript("SET enable_seqscan = off; BEGIN; " + end)
        let scans = try connection.first(
            "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'redemptions'"
        ) { $0.integer(0) }
        #expect(scans == 0)
    }
}
