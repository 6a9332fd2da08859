import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

/// The rules for sessions that every store must follow.
@Suite("The contract of a store: sessions")
struct SessionContractTests {
    private let database: TestDatabase
    private let store: any ServerStore

    init() throws { (database, store) = try TestDatabase.opened() }

    private func openSession() throws -> (user: User, session: Session) {
        let user = try store.signUp()
        return (user, SampleLogin.session("1", of: user))
    }

    @Test("a decision is made about the session as it is now, and its change is written")
    func decision() throws {
        let (user, session) = try openSession()
        let noon = SampleLogin.noon
        let refused = try #require(try store.refresh(session.id, now: noon) { _, _ in .refuse(.userDisabled) })
        #expect(refused.session == session && refused.user == user && refused.decision.written == nil)
        let ended = try #require(
            try store.refresh(session.id, now: noon) { seen, owner in
                #expect(seen == session && owner == user)
                return .end(
                    seen.ended(for: .reuse, at: noon), recording: SampleLogin.event(.refreshTokenReused))
            })
        #expect(ended.session == session && ended.decision.written != nil)
        #expect(try store.session(session.id)?.session.revokeReason == .reuse)
        #expect(try store.auditEvents(of: user.id).isEmpty == false)
        let late = try store.refresh(session.id, now: noon) { _, _ in .refuse(.refreshTokenReused) }
        #expect(late?.session.revokeReason == .reuse)
        #expect(try store.refresh(SessionID("sess_2"), now: noon) { _, _ in .refuse(.userDisabled) } == nil)
    }

    @Test("concurrent advances from the same generation advance a session once")
    func oneAdvance() throws {
        let session = try openSession().session
        let advanced = try Concurrently.run(64) { [store] number in
            let token = SessionToken(
                generation: 2, random: [UInt8(number)], issuedAt: SampleLogin.noon,
                expiresAt: SampleLogin.noon + .seconds(60), hash: [UInt8(number)])
            return try answered { try store.advance(session.id, to: token, now: SampleLogin.noon) } ? number : nil
        }
        let winners = advanced.compactMap { $0 }
        #expect(winners.count == 1)
        let after = try #require(try store.session(session.id)).session
        #expect(after.token.generation == 2)
        #expect(after.token.hash == winners.map { UInt8($0) })
        #expect(after.previousHash == session.token.hash)
    }

    @Test("a confirmation is kept for its generation only, and the first one counts")
    func confirmation() throws {
        let id = try openSession().session.id
        let noon = SampleLogin.noon
        func confirmedAt() throws -> Timestamp? { try store.session(id)?.session.confirmedAt }
        func confirm(_ generation: Int64, at moment: Timestamp) throws {
            try store.confirm([TokenConfirmation(sessionID: id, generation: generation, moment: moment)])
        }
        #expect(try store.advance(id, to: SampleLogin.token(generation: 2), now: noon))
        for other in [1, 3] as [Int64] { try confirm(other, at: noon) }
        #expect(try confirmedAt() == nil)
        try confirm(2, at: noon + .seconds(1))
        try confirm(2, at: noon + .seconds(2))
        #expect(try confirmedAt() == noon + .seconds(1))
        #expect(try store.advance(id, to: SampleLogin.token(generation: 3), now: noon))
        #expect(try confirmedAt() == nil)
        try store.confirm([TokenConfirmation(sessionID: SessionID("sess_none"), generation: 3, moment: noon)])
        _ = try store.revoke(id, for: .logout, recording: SampleLogin.event(at: noon))
        try confirm(3, at: noon)
        #expect(try confirmedAt() == nil)
    }

    @Test("repeats are counted, with the device of the last one; the next token has none")
    func repeats() throws {
        let (id, own) = try { ($0.id, $0.device) }(openSession().session)
        let now = SampleLogin.noon
        #expect(try store.advance(id, to: SampleLogin.token(generation: 2), now: now))
        let phone = Device(userAgent: "Phone/1", address: "192.0.2.1")
        for device in [phone, phone, own, phone] {
            _ = try store.refresh(id, now: now) { session, _ in .repeatCurrent(session.repeated(from: device))
            }
            _ = try store.refresh(id, now: now) { _, _ in .repeatCurrent(nil) }
        }
        let session = try #require(try store.session(id)).session
        #expect(session.repeats == 4 && session.lastDevice == phone && session.repeatsElsewhere == 3)
        #expect(try store.advance(id, to: SampleLogin.token(generation: 3), now: now))
        let advanced = try #require(try store.session(id)).session
        #expect(advanced.repeats == 0 && advanced.repeatsElsewhere == 3, "the row counts them for the whole session")
    }

    @Test("the session of each decision is read back as it was written")
    func writtenAsDecided() throws {
        let id = try openSession().session.id
        let phone = Device(userAgent: "Phone/1", address: "192.0.2.1")
        let noon = SampleLogin.noon
        let burst = TokenChain.Burst(generation: 1, supersededAt: noon + .milliseconds(1))
        let chain = TokenChain(seed: [7, 8, 9], burst: burst)
        let decisions: [(Session) -> RefreshDecision] = [
            { .advance($0.advanced(to: SampleLogin.token(generation: 2), in: chain, from: phone), token: "") },
            { .repeatCurrent($0.repeated(from: phone)) },
            { .end($0.ended(for: .reuse, at: noon), recording: SampleLogin.event(.refreshTokenReused)) },
        ]
        for decide in decisions {
            let decided = try #require(try store.refresh(id, now: noon) { session, _ in decide(session) })
            #expect(try store.session(id)?.session == decided.decision.written)
        }
    }

    @Test("a session is read back with how it was signed in, which its changes keep", arguments: LoginMethod.allCases)
    func method(_ method: LoginMethod) throws {
        let user = SampleLogin.user(1)
        let opened = SampleLogin.session("method", of: user)
        let session = Session(
            id: opened.id, userID: user.id, provider: .apple, clientID: "app", device: opened.device,
            createdAt: opened.createdAt, token: opened.token, chain: opened.chain, method: method)
        #expect(try store.create(user, with: LoginFixture(of: user, session, as: SampleLogin.identity("s"))))
        #expect(try store.session(session.id)?.session == session)
        #expect(try store.advance(session.id, to: SampleLogin.token(generation: 2), now: SampleLogin.noon))
        #expect(try store.session(session.id)?.session.method == method)
    }

    private func openBoundSession() throws -> SessionID {
        let user = SampleLogin.user(1)
        let opened = SampleLogin.session("bound", of: user)
        let session = Session(
            id: opened.id, userID: user.id, provider: .apple, clientID: "app", device: opened.device,
            createdAt: opened.createdAt, token: opened.token, chain: opened.chain, keyThumbprint: "thumb")
        let login = LoginFixture(of: user, session, as: SampleLogin.identity("s"))
        #expect(try store.create(user, with: login))
        return session.id
    }

    private func proof(_ id: UInt8, of request: UInt8 = 1) -> ProvenKey {
        let use = ProofUse(
            proof: [UInt8](repeating: id, count: 32), request: [UInt8](repeating: request, count: 32),
            issuedAt: SampleLogin.noon)
        return ProvenKey(thumbprint: "thumb", use: use)
    }

    @Test("a bound session is read back with its key, and the proofs that its requests have used")
    func bound() throws {
        let id = try openBoundSession()
        let noon = SampleLogin.noon
        #expect(try store.session(id)?.session.keyThumbprint == "thumb")
        #expect(try store.session(id)?.session.usedProofs == UsedProofs())
        func use(_ proof: ProvenKey) throws -> ProofDecision? {
            try store.use(id, now: noon) { $0.decide(on: .success(proof), from: .unknown, at: noon) }
        }
        guard case .accept(let session) = try use(proof(1)) else { return #expect(Bool(false)) }
        #expect(try store.session(id)?.session == session)
        guard case .refuse(.replayed) = try use(proof(1, of: 2)) else { return #expect(Bool(false)) }
        // By a refresh, too.
        let decided = try store.refresh(id, now: noon) { session, _ in
            guard case .accept(let session) = session.decide(on: .success(proof(2)), from: .unknown, at: noon) else {
                return .refuse(.notFound)
            }
            return .repeatCurrent(session.repeated(from: Device(userAgent: "Phone/1", address: nil)))
        }
        #expect(try store.session(id)?.session == decided?.decision.written)
        guard case .refuse(.replayed) = try use(proof(2, of: 2)) else { return #expect(Bool(false)) }
        #expect(try store.use(SessionID("sess_none"), now: noon) { .accept($0) } == nil)
    }

    @Test("a proof by another key ends the session, with an event")
    func otherKey() throws {
        let id = try openBoundSession()
        let noon = SampleLogin.noon
        let foreign = ProvenKey(thumbprint: "thief", use: proof(1).use)
        _ = try store.use(id, now: noon) { $0.decide(on: .success(foreign), from: .unknown, at: noon) }
        #expect(try store.session(id)?.session.revokeReason == .key)
        #expect(try store.auditEvents(of: UserID("user_1")).map(\.kind).contains(.sessionKeyMismatch))
    }

    @Test("of logins with the same proof at the same moment, one succeeds, and the same request may repeat it")
    func loginProof() throws {
        let store = store
        @Sendable func logIn(_ number: Int, by request: UInt8) throws -> UInt8? {
            let user = SampleLogin.user(number)
            var login = SampleLogin.login("\(number)", of: user, as: SampleLogin.identity("s\(number)"))
            login.key = proof(1, of: request)
            return try store.create(user, with: login) ? request : nil
        }
        let accepted = try Concurrently.run(8) { number in try logIn(number, by: UInt8(number)) }.compactMap(\.self)
        #expect(accepted.count == 1)
        #expect(try logIn(20, by: accepted[0]) == accepted[0])
        #expect(try logIn(21, by: 99) == nil)
    }

    @Test("of the same proof at the same moment, one is used")
    func usedOnce() throws {
        let id = try openBoundSession()
        let noon = SampleLogin.noon
        let store = store
        let accepted = try Concurrently.run(8) { number in
            let decision = try store.use(id, now: noon) {
                $0.decide(on: .success(proof(1, of: UInt8(number))), from: .unknown, at: noon)
            }
            guard case .accept = decision else { return 0 }
            return 1
        }
        #expect(accepted.reduce(0, +) == 1)
    }

    @Test("a session ends once, with the first reason")
    func revokesOnce() throws {
        let id = try openSession().session.id
        #expect(try store.revoke(id, for: .reuse, recording: SampleLogin.event(at: SampleLogin.noon + .seconds(1))))
        #expect(try !store.revoke(id, for: .logout, recording: SampleLogin.event(at: SampleLogin.noon + .seconds(2))))
        #expect(
            try !store.revoke(SessionID("sess_none"), for: .logout, recording: SampleLogin.event(at: SampleLogin.noon)))
        let ended = try #require(try store.session(id)).session
        #expect(ended.revokeReason == .reuse)
        #expect(ended.revokedAt == SampleLogin.noon + .seconds(1))
    }

    @Test("every active session of a user is revoked once, and its ID is returned")
    func revokesAll() throws {
        let users = [SampleLogin.user(1), SampleLogin.user(2)]
        for user in users {
            let identity = SampleLogin.identity(user.id.text)
            _ = try store.create(user, with: SampleLogin.login("\(user.id.text)-0", of: user, as: identity))
            for number in 1..<3 {
                _ = try store.add(SampleLogin.login("\(user.id.text)-\(number)", of: user, as: identity))
            }
        }
        _ = try store.revoke(SessionID("sess_user_1-0"), for: .logout, recording: SampleLogin.event())
        let event = SampleLogin.event(.logoutEverywhere)
        let ended = try store.revokeAll(of: users[0].id, for: .logoutEverywhere, recording: event)
        #expect(Set(ended.map(\.id.text)) == ["sess_user_1-1", "sess_user_1-2"])
        #expect(try store.revokeAll(of: users[0].id, for: .logoutEverywhere, recording: event).isEmpty)
        #expect(try store.session(SessionID("sess_user_1-0"))?.session.revokeReason == .logout)
        #expect(try store.sessions(of: users[0].id, aliveAt: SampleLogin.noon).isEmpty)
        #expect(try store.sessions(of: users[1].id, aliveAt: SampleLogin.noon).count == 3)
        #expect(try store.sessions(of: users[1].id, aliveAt: SampleLogin.noon + .seconds(3600)).isEmpty)
    }
}

@Suite("The session limit in the store")
struct SessionLimitStoreTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let user = SampleLogin.user(1)

    init() throws { (database, store) = try TestDatabase.opened() }

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
