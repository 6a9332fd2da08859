import Gatehouse
import StoreSupport
import Testing

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
        let primitives = Primitives(
            now: { Self.moment + .seconds(seconds) }, random: { [UInt8](repeating: 0, count: $0) }, equal: { $0 == $1 })
        return try AuthService(
            store: ReadOnlyStore(session: session, failure: failure), tokens: tokens, apple: UnavailableAppleVerifier(),
            hasher: PlainHashes(),
            policy: .ofTests(), primitives: primitives)
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
        #expect(throws: Refusal.refreshTokenRevoked) {
            try auth(session(revokedFor: .logout)).refresh(refreshToken(2))
        }
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
