import Gatehouse
import StoreSupport
import Synchronization
import Testing

/// Accepts every token as one of the same subject.
private struct TrustingApple: AppleVerifier {
    let requiresChallenge = false

    func verify(
        _ credential: IdentityCredential, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        ProvenIdentity(
            identity: Identity(provider: .apple, subject: "001", email: nil), clientID: "app", issuedAt: request.now,
            redemption: Redemption(
                tokenHash: [1], moment: request.now, grace: .seconds(60), expiresAt: request.now + .seconds(1)),
            laterCode: credential.code)
    }

    func verify(notification: String, now: Timestamp, requestID: String?) throws(Refusal) -> AppleNotification {
        AppleNotification(id: "1", kind: .other, subject: "001", audience: "app", moment: now, issuedAt: now)
    }

    func isApparentlyApple(_ token: String) -> Bool { true }
}

@Suite("A store that fails")
struct FailingStoreTests {
    private let auth: AuthService
    private let store = FailingStore()
    private let device = Device.unknown
    private let caller = Caller(
        userID: UserID("user_1"), sessionID: SessionID("sess_1"), generation: 1, role: .user,
        authenticatedAt: Timestamp(seconds: 0))
    /// Tokens of the caller.
    private let access = Array("user_1 sess_1 1 1".utf8)[...]
    private let refresh = "user_1 sess_1 1 0 0 0"

    init() throws {
        let platform = Platform(
            now: { Timestamp(seconds: 0) }, random: { [UInt8](repeating: 0, count: $0) }, equal: { $0 == $1 })
        let policy = Policy.ofTests(devSecretHash: Array("secret".utf8))
        auth = try AuthService(
            store: store, tokens: PlainTokens(), apple: TrustingApple(), hasher: PlainHashes(), policy: policy,
            platform: platform)
    }

    @Test("every use case reports the storage failure, and none refuses the credentials")
    func everything() {
        let credential = IdentityCredential(identityToken: "x")
        #expect(throws: storageFailure) { try auth.logIn(IdentityLogin(credential: credential), from: device) }
        #expect(throws: storageFailure) { try auth.logIn(DevLogin(email: "a@b", secret: "secret"), from: device) }
        #expect(throws: storageFailure) { try auth.refresh(refresh) }
        #expect(throws: storageFailure) { try auth.users([UserID("x")]) }
        #expect(throws: storageFailure) { try auth.currentUser(caller) }
        #expect(throws: storageFailure) { try auth.logOut(access, refreshToken: nil) }
        #expect(throws: storageFailure) { try auth.logOutEverywhere(access, from: device) }
        #expect(throws: storageFailure) { try auth.sessions(of: caller) }
        #expect(throws: storageFailure) { try auth.update(ProfileChange(), of: caller) }
        #expect(throws: storageFailure) { try auth.deleteAccount(of: caller, requestID: "test") }
        #expect(throws: storageFailure) { try auth.endSession(SessionID("sess_2"), of: access, from: device) }
    }

    @Test("a guarded request is accepted until the revocation counter changes, and then fails")
    func guarded() throws {
        #expect(try auth.authenticate(access) == caller)
        store.incrementRevocationCounter()
        #expect(throws: storageFailure) { try auth.authenticate(access) }
    }

    @Test("a logout that was not recorded does not end the session")
    func noHalfLogout() throws {
        #expect(throws: storageFailure) { try auth.logOut(access, refreshToken: nil) }
        #expect(try auth.authenticate(access) == caller)
    }
}

/// A store that fails in every operation after the start of the service.
private final class FailingStore: PartialStore {
    private let counter = Atomic<UInt64>(0)
    private let hasStarted = Atomic(false)

    /// The first read, at the start of the service, succeeds.
    func revocations(after place: Int64) throws(Refusal) -> [Revocation] {
        guard !hasStarted.exchange(true, ordering: .relaxed) else { throw storageFailure }
        return []
    }

    var revocationCounter: UInt64 { counter.load(ordering: .relaxed) }

    func incrementRevocationCounter() { counter.add(1, ordering: .relaxed) }
}

@Suite("A store that can only be read")
struct ReadOnlyStoreTests {
    private static let moment = Timestamp(seconds: 1000)
    private let tokens = PlainTokens()

    /// A session of generation 2.
    private func session(revokedFor reason: RevokeReason? = nil) -> Session {
        let token = SessionToken(
            generation: 2, random: [2], issuedAt: Self.moment, expiresAt: Self.moment + .seconds(60),
            hash: tokens.hash(refreshToken(2)))
        return Session(
            id: SessionID("sess_1"), userID: UserID("user_1"), provider: .dev, clientID: "app", device: .unknown,
            createdAt: Self.moment, token: token, previousHash: tokens.hash(refreshToken(1)),
            revokedAt: reason.map { _ in Self.moment }, revokeReason: reason)
    }

    private func refreshToken(_ generation: Int64) -> String {
        tokens.refreshToken(
            RefreshClaims(
                userID: UserID("user_1"), sessionID: SessionID("sess_1"), generation: generation,
                random: [UInt8(generation)], issuedAt: Self.moment, expiresAt: Self.moment + .seconds(60)))
    }

    private func auth(
        _ session: Session?, after seconds: Int = 0, failure: Refusal = storageFailure
    ) throws -> AuthService {
        let platform = Platform(
            now: { Self.moment + .seconds(seconds) }, random: { [UInt8](repeating: 0, count: $0) }, equal: { $0 == $1 })
        return try AuthService(
            store: ReadOnlyStore(session: session, failure: failure), tokens: tokens, apple: UnavailableAppleVerifier(),
            hasher: PlainHashes(),
            policy: .ofTests(), platform: platform)
    }

    @Test("a retry gets the same token again, and a refresh that has to be written fails")
    func retry() throws {
        let auth = try auth(session())
        #expect(try auth.refresh(refreshToken(1)).refreshToken == refreshToken(2))
        #expect(throws: storageFailure) { try auth.refresh(refreshToken(2)) }
        var confirmed = session()
        confirmed.confirmedAt = Self.moment
        #expect(throws: storageFailure) { try self.auth(confirmed, after: 31).refresh(refreshToken(1)) }
    }

    @Test("a server that does not answer is not asked a second time")
    func unreachable() throws {
        let failure = Refusal.storageUnavailable(StoreFailure("no answer", cause: .unreachable))
        #expect(throws: failure) { try auth(session(), failure: failure).refresh(refreshToken(1)) }
    }

    @Test("a refusal that needs no write is answered")
    func refusals() throws {
        #expect(throws: Refusal.invalidRefreshToken) { try auth(nil).refresh(refreshToken(2)) }
        #expect(throws: Refusal.invalidRefreshToken) { try auth(session()).refresh(refreshToken(3)) }
        let ended = try auth(session(revokedFor: .logout))
        #expect(throws: Refusal.refreshTokenRevoked) { try ended.refresh(refreshToken(2)) }
        #expect(throws: Refusal.sessionRevoked) { try ended.authenticate(Array("user_1 sess_1 2 1060".utf8)[...]) }
    }
}

/// Returns one session, and fails in every write.
private struct ReadOnlyStore: PartialStore {
    let session: Session?
    let failure: Refusal

    func refresh(
        _: SessionID, now: Timestamp, by: @escaping (Session, User) -> RefreshDecision
    ) throws(Refusal) -> DecidedRefresh? { throw failure }

    func session(_ id: SessionID) throws(Refusal) -> (session: Session, user: User)? {
        session.map { ($0, User(id: $0.userID, email: nil, nickname: nil, createdAt: $0.createdAt)) }
    }

    func revocations(after place: Int64) throws(Refusal) -> [Revocation] { [] }
}

@Suite("A decision that the store repeats")
struct RepeatedDecisionTests {
    @Test("the answer has the tokens of the last decision")
    func last() throws {
        let store = RepeatingStore()
        let counter = Atomic<UInt8>(0)
        let platform = Platform(
            now: { Timestamp(seconds: 0) },
            random: { count in [UInt8](repeating: counter.add(1, ordering: .relaxed).newValue, count: count) },
            equal: { $0 == $1 })
        let auth = try AuthService(
            store: store, tokens: PlainTokens(), apple: UnavailableAppleVerifier(), hasher: PlainHashes(),
            policy: .ofTests(devSecretHash: []), platform: platform)
        let login = try auth.logIn(DevLogin(email: "a@example.com", secret: ""), from: .unknown)
        #expect(store.hash == PlainTokens().hash(login.tokens.refreshToken))
        let pair = try auth.refresh(login.tokens.refreshToken)
        #expect(pair.refreshToken != login.tokens.refreshToken)
        #expect(store.hash == PlainTokens().hash(pair.refreshToken))
        #expect(try auth.refresh(login.tokens.refreshToken).refreshToken == pair.refreshToken)
    }
}

@Suite("A node that finds a theft")
struct FoundTheftTests {
    @Test("refuses the session's access tokens at once, before it reads the log of revocations")
    func reuse() throws {
        let policy = Policy.ofTests(refresh: .ofTests(reuseGrace: .zero), devSecretHash: [])
        let auth = try AuthService.ofTests(RepeatingStore(), policy: policy)
        let first = try auth.logIn(DevLogin(email: "a@example.com", secret: ""), from: .unknown).tokens
        let last = try auth.refresh(auth.refresh(first.refreshToken).refreshToken)
        let access = Array(last.accessToken.utf8)[...]
        _ = try auth.authenticate(access)
        #expect(throws: Refusal.refreshTokenReused) { try auth.refresh(first.refreshToken) }
        #expect(throws: Refusal.sessionRevoked) { try auth.authenticate(access) }
    }
}

/// Calls each decision twice, as after a failed transaction, and uses the second result.
private final class RepeatingStore: PartialStore {
    private let state = Mutex<(user: User, session: Session)?>(nil)

    var hash: [UInt8]? { state.withLock { $0?.session.token.hash } }

    func record(
        _: Login, limit: Int, by decide: @escaping (IdentityFacts) -> LoginDecision
    ) throws(Refusal) -> (decision: LoginDecision, ended: [EndedSession]) {
        _ = decide(IdentityFacts())
        let decision = decide(IdentityFacts())
        if case .accept(let login) = decision { state.withLock { $0 = (login.user, login.session) } }
        return (decision, [])
    }

    func refresh(
        _: SessionID, now: Timestamp, by decide: @escaping (Session, User) -> RefreshDecision
    ) throws(Refusal) -> DecidedRefresh? {
        guard let (user, session) = state.withLock({ $0 }) else { return nil }
        _ = decide(session, user)
        let decision = decide(session, user)
        if let written = decision.written { state.withLock { $0 = (user, written) } }
        return DecidedRefresh(session: session, user: user, decision: decision)
    }

    func revocations(after place: Int64) throws(Refusal) -> [Revocation] { [] }
}
