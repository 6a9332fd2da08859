import Gatehouse
import Testing

/// A store whose disk is gone.
private struct GoneStore: Store {
    private func fail<Answer>(_: Answer.Type = Answer.self) throws(StoreFailure) -> Answer {
        throw StoreFailure("the disk is gone")
    }

    func user(_ id: UserID) throws(StoreFailure) -> User? { try fail() }
    func user(provider: Provider, subject: String) throws(StoreFailure) -> User? { try fail() }
    func create(_ user: User, with login: NewSession) throws(StoreFailure) -> Bool { try fail() }
    func add(_ login: NewSession) throws(StoreFailure) -> User? { try fail() }
    func session(_ id: SessionID) throws(StoreFailure) -> (session: Session, user: User)? { try fail() }
    func advance(_ id: SessionID, to token: SessionToken, now: Timestamp) throws(StoreFailure) -> Bool { try fail() }
    func revoke(_ id: SessionID, for reason: RevokeReason, now: Timestamp) throws(StoreFailure) -> Bool { try fail() }

    /// The one question asked at start, while the disk was there.
    func sessionsRevoked(since moment: Timestamp) throws(StoreFailure) -> [(SessionID, Timestamp)] { [] }
}

/// Takes every token for one of the same caller.
private struct TrustingTokens: TokenService {
    let caller = Caller(userID: UserID("user_1"), sessionID: SessionID("sess_1"), role: .user)

    func accessToken(_ claims: AccessClaims) -> String { "access" }
    func refreshToken(_ claims: RefreshClaims) -> String { "refresh" }
    func refreshToken(_ claims: RefreshClaims, hashedAs hash: [UInt8]) -> String? { "refresh" }
    func hash(_ token: String) -> [UInt8] { Array(token.utf8) }

    func readAccessToken(_ token: String, now: Timestamp) throws(Refusal) -> AccessClaims {
        AccessClaims(caller: caller, clientID: "app", tokenID: "at_1", issuedAt: now, expiresAt: now + .seconds(1))
    }

    func readRefreshToken(_ token: String, now: Timestamp) throws(Refusal) -> PresentedToken {
        PresentedToken(sessionID: caller.sessionID, userID: caller.userID, generation: 1, hash: [])
    }
}

private struct TrustingApple: AppleVerifier {
    func verify(_ credential: AppleCredential, now: Timestamp) throws(Refusal) -> AppleAssertion {
        AppleAssertion(subject: "001", audience: "app")
    }
}

@Suite("While the store does not answer")
struct FailingStoreTests {
    private let gatekeeper: Gatekeeper
    private let device = Device(userAgent: nil, address: nil)

    init() throws {
        let world = World(
            now: { Timestamp(seconds: 0) }, random: { [UInt8](repeating: 0, count: $0) }, equal: { $0 == $1 })
        let policy = Policy(devSecretHash: Array("secret".utf8), defaultClientID: "app")
        gatekeeper = try Gatekeeper(
            store: GoneStore(), tokens: TrustingTokens(), apple: TrustingApple(), policy: policy, world: world)
    }

    @Test("nobody is signed in, and nobody is told that they are nobody")
    func everything() {
        let credential = AppleCredential(identityToken: "x")
        let caller = TrustingTokens().caller
        #expect(throws: Refusal.storageUnavailable) {
            try gatekeeper.signIn(AppleLogin(credential: credential), from: device)
        }
        #expect(throws: Refusal.storageUnavailable) {
            try gatekeeper.signIn(DevLogin(email: "a@b", secret: "secret"), from: device)
        }
        #expect(throws: Refusal.storageUnavailable) { try gatekeeper.refresh("x") }
        #expect(throws: Refusal.storageUnavailable) { try gatekeeper.currentUser(caller) }
        #expect(throws: Refusal.storageUnavailable) { try gatekeeper.signOut("x", refreshToken: nil) }
    }

    @Test("a logout that was not recorded is not believed: the session goes on")
    func noHalfLogout() throws {
        #expect(throws: Refusal.storageUnavailable) { try gatekeeper.signOut("x", refreshToken: nil) }
        #expect(try gatekeeper.authenticate("x") == TrustingTokens().caller)
    }
}
