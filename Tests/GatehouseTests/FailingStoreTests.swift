import Gatehouse
import StoreSupport
import Testing

/// Takes every token for one of the same caller.
private struct TrustingTokens: TokenService {
    let caller = Caller(
        userID: UserID("user_1"), sessionID: SessionID("sess_1"), role: .user,
        authenticatedAt: Timestamp(seconds: 0))

    func accessToken(_ claims: AccessClaims) -> String { "access" }
    func refreshToken(_ claims: RefreshClaims) -> String { "refresh" }
    func refreshToken(_ claims: RefreshClaims, hashedAs hash: [UInt8]) -> String? { "refresh" }
    func hash(_ token: String) -> [UInt8] { Array(token.utf8) }
    func challenge(expiresAt: Timestamp) -> Challenge { Challenge(nonce: "nonce", expiresAt: expiresAt) }
    func readChallenge(_ nonce: String) -> Challenge? { nil }

    func readAccessToken(_ token: ArraySlice<UInt8>, now: Timestamp) throws(Refusal) -> Caller { caller }

    func readRefreshToken(_ token: String, now: Timestamp) throws(Refusal) -> PresentedToken {
        PresentedToken(sessionID: caller.sessionID, userID: caller.userID, generation: 1, hash: [])
    }
}

private struct TrustingApple: AppleVerifier {
    func verify(_ credential: AppleCredential, now: Timestamp) throws(Refusal) -> AppleAssertion {
        AppleAssertion(subject: "001", audience: "app", tokenHash: [1], issuedAt: now, expiresAt: now + .seconds(1))
    }

    func verify(notification: String, now: Timestamp) throws(Refusal) -> AppleNotification {
        AppleNotification(id: "1", kind: .other, subject: "001", audience: "app", moment: now, issuedAt: now)
    }
}

@Suite("While the store does not answer")
struct FailingStoreTests {
    private let gatekeeper: Gatekeeper
    private let store = GoneStore()
    private let device = Device(userAgent: nil, address: nil)

    init() throws {
        let world = World(
            now: { Timestamp(seconds: 0) }, random: { [UInt8](repeating: 0, count: $0) }, equal: { $0 == $1 })
        let policy = Policy(devSecretHash: Array("secret".utf8), defaultClientID: "app")
        gatekeeper = try Gatekeeper(
            store: store, tokens: TrustingTokens(), apple: TrustingApple(), hasher: PlainHashes(), policy: policy,
            world: world)
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
        #expect(throws: Refusal.storageUnavailable) { try gatekeeper.signOut([1], refreshToken: nil) }
        #expect(throws: Refusal.storageUnavailable) { try gatekeeper.signOutEverywhere([1], from: device) }
        #expect(throws: Refusal.storageUnavailable) { try gatekeeper.sessions(of: caller) }
        #expect(throws: Refusal.storageUnavailable) { try gatekeeper.update(ProfileChange(), of: caller) }
        #expect(throws: Refusal.storageUnavailable) { try gatekeeper.deleteAccount(of: caller) }
        #expect(throws: Refusal.storageUnavailable) {
            try gatekeeper.endSession(SessionID("sess_2"), of: [1], from: device)
        }
    }

    @Test(
        "a guarded request passes as long as nobody else has ended anything, and nobody passes when it is unknown what")
    func guarded() throws {
        #expect(try gatekeeper.authenticate([1]) == TrustingTokens().caller)
        store.sign()
        #expect(throws: Refusal.storageUnavailable) { try gatekeeper.authenticate([1]) }
    }

    @Test("a logout that was not recorded is not believed: the session goes on")
    func noHalfLogout() throws {
        #expect(throws: Refusal.storageUnavailable) { try gatekeeper.signOut([1], refreshToken: nil) }
        #expect(try gatekeeper.authenticate([1]) == TrustingTokens().caller)
    }
}
