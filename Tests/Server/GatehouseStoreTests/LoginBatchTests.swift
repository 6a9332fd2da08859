import Gatehouse
import POSIX
import SQL
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import GatehouseStore

@Suite("A batch of logins", .enabled(if: TestDatabase.isOnServer, "a file has one writer"))
struct LoginBatchTests {
    private let database: TestDatabase
    private let store: PostgreSQLStore
    private let noon = SampleLogin.noon

    init() throws { try self.init(timeout: .seconds(60)) }

    private init(_ database: TestDatabase? = nil, timeout: Duration) throws {
        self.database = try database ?? TestDatabase()
        store = try PostgreSQLStore(PostgreSQLSettings(url: self.database.url, timeout: timeout))
    }

    private func login(_ number: Int, nickname: String? = nil, subject: String? = nil) -> LoginFixture {
        SampleLogin.login(
            "\(number)", of: SampleLogin.user(number, nickname: nickname),
            as: SampleLogin.identity(subject ?? "s\(number)"), nickname: nickname)
    }

    /// Runs logins while another one is decided, so that they are the next batch. Nil for one that fails.
    ///
    /// - Parameter ahead: how much earlier the first of them begins than the others.
    private func together(
        _ logins: [LoginFixture], ahead: Duration = .zero,
        beside other: @escaping @Sendable (_ number: Int) -> Void = { _ in }
    ) throws -> [LoginOutcome?] {
        let store = store
        return try together(logins.count) { number in
            defer { other(number) }
            if number == 1 { Thread.pause(for: ahead) }
            return try? store.record(logins[number])
        }
    }

    private func together<Outcome: Sendable>(
        _ count: Int, _ record: @escaping @Sendable (_ number: Int) -> Outcome?
    ) throws -> [Outcome?] {
        let store = store
        let hasBegun = Atomic(false)
        let outcomes = Mutex([Outcome?](repeating: nil, count: count))
        _ = try Concurrently.run(count + 1) { number in
            if number == count {
                let first = Login(
                    identity: SampleLogin.identity("first"), nickname: nil, moment: noon, hasher: PlainHashes())
                _ = try store.record(first, limit: 100) { _ in
                    hasBegun.store(true, ordering: .releasing)
                    #expect(Eventually.holds { store.logins.waitingCount == count })
                    return .refuse(.replayed)
                }
                return
            }
            // In this order.
            #expect(
                Eventually.holds {
                    hasBegun.load(ordering: .acquiring) && store.logins.waitingCount == number
                })
            let outcome = record(number)
            outcomes.withLock { $0[number] = outcome }
        }
        return outcomes.withLock { $0 }
    }

    @Test("One that fails does not fail the others")
    func failsAlone() throws {
        let logins = [login(1), login(2, nickname: "a\0b"), login(3)]
        let outcomes = try together(logins)
        #expect(outcomes[0] == .recorded(logins[0].user, ended: []))
        #expect(outcomes[1] == nil)
        #expect(outcomes[2] == .recorded(logins[2].user, ended: []))
        #expect(try database.number("SELECT count(*) FROM users") == 2)
    }

    @Test(
        "One whose lock another transaction holds waits for it, and the others do not",
        arguments: [
            "SELECT pg_advisory_xact_lock(hashtextextended('APPLE s2', 0))",
            "SELECT 1 FROM users WHERE id = 'user_2' FOR NO KEY UPDATE",
        ])
    func waitsAlone(lock: String) throws {
        try store.signUp(2)
        let holder = try database.connection()
        try holder.executeScript("SET idle_in_transaction_session_timeout = 0; BEGIN; \(lock)")
        let process = try holder.first("SELECT pg_backend_pid()") { $0.integer(0) } ?? 0
        let database = database
        let done = Atomic(0)
        let logins = [login(1), login(4, subject: "s2"), login(3)]
        let outcomes = try together(logins) { number in
            guard number != 1 else { return }
            // The last of those that do not wait ends the wait of the other one.
            guard done.add(1, ordering: .relaxed).newValue == 2 else { return }
            #expect((try? database.number("SELECT count(*) FROM refresh_tokens WHERE user_id = 'user_2'")) == 1)
            try? database.execute("SELECT pg_terminate_backend(\(process))")
        }
        #expect(outcomes == [1, 2, 3].map { .recorded(SampleLogin.user($0), ended: []) })
    }

    @Test("A batch that loses its connection during the commit fails, and is not run again")
    func inDoubt() throws {
        let holder = try database.connection()
        try holder.executeScript(
            """
            CREATE SEQUENCE commits;
            CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM nextval('commits');
                PERFORM pg_terminate_backend(pg_backend_pid());
                RETURN NULL;
            END $$;
            CREATE CONSTRAINT TRIGGER loses AFTER INSERT ON users DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW WHEN (NEW.id = 'user_2') EXECUTE FUNCTION lose();
            """)
        let logins = [login(1), login(2), login(3)]
        #expect(try together(logins) == [nil, nil, nil])
        #expect(try database.number("SELECT last_value FROM commits") == 1)
        try database.execute("DROP TRIGGER loses ON users")
        // The client sends its login again.
        #expect(try together(logins) == [1, 2, 3].map { .recorded(SampleLogin.user($0), ended: []) })
        #expect(try database.number("SELECT count(*) FROM refresh_tokens") == 3)
    }

    @Test("A batch whose commit is not answered in the leader's time fails, and is not run again")
    func inDoubtWithoutTime() throws {
        let tests = try LoginBatchTests(timeout: .seconds(4))
        try tests.database.connection().executeScript(
            """
            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM pg_sleep(2.5); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON users DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW WHEN (NEW.id = 'user_2') EXECUTE FUNCTION wait();
            CREATE SEQUENCE sessions;
            CREATE FUNCTION tally() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM nextval('sessions'); RETURN NEW; END $$;
            CREATE TRIGGER tallies BEFORE INSERT ON refresh_tokens FOR EACH ROW EXECUTE FUNCTION tally();
            """)
        // The first one leads, and has less than half of its time left. The others have more than the commit takes.
        _ = try tests.together([login(1), login(2), login(3)], ahead: .seconds(2.4))
        #expect(try Eventually.holds { try tests.database.number("SELECT count(*) FROM users") >= 2 })
        #expect(try tests.database.number("SELECT last_value FROM sessions") <= 3)
    }

    @Test("A row that another transaction holds delays the logins that do not write it by one time of waiting")
    func lockedAccount() throws {
        try store.signUp(2)
        let holder = try database.connection()
        try holder.executeScript(
            "SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT 1 FROM auth_accounts FOR UPDATE")
        let moved = SampleLogin.login(
            "4", of: SampleLogin.user(2), as: SampleLogin.identity("s2", email: "new@example.com"))
        let tests = try LoginBatchTests(database, timeout: .seconds(4))
        #expect(try tests.together([login(1), moved, login(3)]).map { $0 != nil } == [true, false, true])
    }

    @Test("Two first logins by one transfer subject are one user")
    func transferSubject() throws {
        let logins = [1, 2].map { number in
            var identity = SampleLogin.identity("s\(number)")
            identity.transferSubject = "t"
            return SampleLogin.login("\(number)", of: SampleLogin.user(number), as: identity)
        }
        #expect(try together(logins) == [1, 2].map { _ in .recorded(SampleLogin.user(1), ended: []) })
        #expect(try database.number("SELECT count(*) FROM users") == 1)
    }

    @Test("Two of one user by two identities are decided one after the other")
    func oneUser() throws {
        try store.signUp(1)
        let dev = Identity(provider: .dev, subject: "dev", email: nil)
        let redemption = Redemption(
            tokenHash: [1], nonceHash: nil, moment: noon, grace: .seconds(60), expiresAt: noon + .seconds(3600))
        _ = try store.link(
            dev, to: UserID("user_1"), redeeming: redemption, queueing: nil,
            recording: AuditEntry(.accountLinked, at: noon, userID: UserID("user_1")))
        try store.register([EventSubscription(name: "shop", types: nil)], now: noon)
        let user = SampleLogin.user(1)
        _ = try together([
            SampleLogin.login("2", of: user, as: SampleLogin.identity("s1"), nickname: "First"),
            SampleLogin.login("3", of: user, as: dev, nickname: "Second"),
        ])
        #expect(try store.user(user.id)?.nickname == "First")
        #expect(try store.sessions(of: user.id, aliveAt: noon).count == 3)
        #expect(try database.number("SELECT count(*) FROM events") == 1)
    }

    @Test("Those of new users whose address another user has proven say so, also where that user is in the same batch")
    func knownAddresses() throws {
        func login(_ number: Int, _ email: String?, verified: Bool = true, session: Int? = nil) -> LoginFixture {
            var identity = SampleLogin.identity("s\(number)", email: email)
            identity.emailVerified = verified
            var user = SampleLogin.user(number, email: email)
            user.emailVerified = verified
            return SampleLogin.login("\(session ?? number)", of: user, as: identity)
        }
        _ = try store.record(login(1, "Ann@example.com"))
        let logins = [
            login(2, "ann@EXAMPLE.com"), login(3, "ann@example.com", verified: false), login(4, "bob@example.com"),
            login(5, nil), login(6, "kim@example.com"), login(7, "kim@example.com"),
            login(1, "ann@example.com", session: 8),
        ]
        let store = store
        let known = try together(logins.count) { number -> Bool? in
            let login = logins[number]
            guard case .accept(let accepted)? = try? store.record(login.login, limit: 100, by: login.decide).decision
            else { return nil }
            return accepted.isKnownAddress
        }
        #expect(known == [true, false, false, false, true, true, false])
    }

    @Test("An identity token that two of them redeem opens a session for each, as a repeat, and a nonce for one")
    func redemptions() throws {
        func login(_ number: Int, token: UInt8, nonce: UInt8) -> LoginFixture {
            var login = self.login(number, subject: "s\(token)")
            login.redemption = Redemption(
                tokenHash: Array(repeating: token, count: 32), nonceHash: Array(repeating: nonce, count: 32),
                moment: noon, grace: .seconds(60), expiresAt: noon + .seconds(3600))
            return login
        }
        let outcomes = try together([
            login(1, token: 1, nonce: 9), login(2, token: 1, nonce: 9), login(3, token: 3, nonce: 9),
        ])
        let user = SampleLogin.user(1)
        #expect(outcomes == [.recorded(user, ended: []), .recorded(user, ended: []), .refused(.usedNonce)])
    }

    @Test("A receiver that is registered while a login is decided is told of the new user")
    func receiver() throws {
        let (store, noon) = (store, noon)
        let login = Login(identity: SampleLogin.identity("s1"), nickname: nil, moment: noon, hasher: PlainHashes())
        let user = SampleLogin.user(1)
        _ = try store.record(login, limit: 100) { facts in
            try? store.register([EventSubscription(name: "shop", types: [.userCreated])], now: noon)
            try? store.register([EventSubscription(name: "forum", types: [.userDeleted])], now: noon)
            return .accept(
                AcceptedLogin(
                    login, of: user, on: facts, opening: SampleLogin.session("1", of: user), refreshToken: "",
                    queueing: nil))
        }
        #expect(try store.dueEvents(for: "shop", now: noon, limit: 10).map(\.event.userID) == [user.id])
        #expect(try store.dueEvents(for: "forum", now: noon, limit: 10).isEmpty)
    }
}
