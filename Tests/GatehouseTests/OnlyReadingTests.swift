import Gatehouse
import StoreSupport
import Testing

@Suite("While the store can only be read")
struct OnlyReadingTests {
    private static let moment = Timestamp(seconds: 1000)
    private let tokens = PlainTokens()

    /// A session in its second generation.
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

    private func gatekeeper(_ session: Session?, after seconds: Int = 0) throws -> Gatekeeper {
        let world = World(
            now: { Self.moment + .seconds(seconds) }, random: { [UInt8](repeating: 0, count: $0) }, equal: { $0 == $1 })
        return try Gatekeeper(
            store: Library(session: session), tokens: tokens, apple: NoApple(), hasher: PlainHashes(),
            policy: Policy(devSecretHash: nil, defaultClientID: "app"), world: world)
    }

    @Test("a retry gets what it got before, and nothing that would have to be written goes on")
    func retry() throws {
        let gatekeeper = try gatekeeper(session())
        #expect(try gatekeeper.refresh(refreshToken(1)).refreshToken == refreshToken(2))
        #expect(throws: Refusal.storageUnavailable) { try gatekeeper.refresh(refreshToken(2)) }
        #expect(throws: Refusal.storageUnavailable) {
            try self.gatekeeper(session(), after: 31).refresh(refreshToken(1))
        }
    }

    @Test("a refusal that changes nothing is said")
    func refusals() throws {
        #expect(throws: Refusal.invalidRefreshToken) { try gatekeeper(nil).refresh(refreshToken(2)) }
        #expect(throws: Refusal.invalidRefreshToken) { try gatekeeper(session()).refresh(refreshToken(3)) }
        #expect(throws: Refusal.refreshTokenRevoked) {
            try gatekeeper(session(revokedFor: .logout)).refresh(refreshToken(2))
        }
    }
}

/// Lends one session to be read.
private struct Library: PartialStore {
    let session: Session?

    func session(_ id: SessionID) throws(StoreFailure) -> (session: Session, user: User)? {
        session.map { ($0, User(id: $0.userID, email: nil, nickname: nil, createdAt: $0.createdAt)) }
    }

    func revocations(after place: Int64) throws(StoreFailure) -> [Revocation] { [] }
}
