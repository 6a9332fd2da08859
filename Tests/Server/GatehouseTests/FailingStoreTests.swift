import Gatehouse
import StoreSupport
import Testing

/// Accepts every token as one of the same caller.
private struct TrustingTokens: TokenService, PlainCodes, PlainAuthorizations {
    let caller = Caller(
        userID: UserID("user_1"), sessionID: SessionID("sess_1"), generation: 1, role: .user,
        authenticatedAt: Timestamp(seconds: 0))

    func accessToken(_ claims: AccessClaims) -> String { "access" }
    func refreshToken(_ claims: RefreshClaims) -> String { "refresh" }
    func refreshToken(_ claims: RefreshClaims, hashedAs hash: [UInt8]) -> String? { "refresh" }
    func hash(_ token: String) -> [UInt8] { Array(token.utf8) }
    func apparentKind(of token: String) -> TokenKind? { nil }
    func random(ofGeneration: Int64, seed: [UInt8]) -> [UInt8] { seed }
    func readProof(_: ArraySlice<UInt8>) throws(DPoPFault) -> DPoPProof { throw .malformed }
    func proofNonce(expiresAt: Timestamp) -> String { "" }
    func expiry(ofProofNonce nonce: String) -> Timestamp? { nil }
    func challenge(expiresAt: Timestamp) -> Challenge { Challenge(nonce: "nonce", expiresAt: expiresAt) }
    func readChallenge(_ nonce: String) -> Challenge? { nil }

    func readAccessToken(_ token: ArraySlice<UInt8>, now: Timestamp) throws(Refusal) -> Caller { caller }

    func readAccessClaims(_ token: String, now: Timestamp) throws(Refusal) -> AccessClaims {
        AccessClaims(caller: caller, clientID: "app", tokenID: "1", issuedAt: now, expiresAt: now + .seconds(1))
    }

    var issuer: String { "issuer" }
    var audience: String { "audience" }

    func readRefreshToken(_ token: String) throws(Refusal) -> PresentedToken {
        PresentedToken(
            sessionID: caller.sessionID, userID: caller.userID, generation: 1, random: [],
            issuedAt: Timestamp(seconds: 0), expiresAt: Timestamp(seconds: 0), hash: [])
    }
}

/// Accepts every token as one of the same subject.
private struct TrustingApple: AppleVerifier {
    let rules = LoginRules(replayGrace: .seconds(60))

    func verify(
        _ credential: IdentityCredential, now: Timestamp, requestID: String?,
        spending spend: (_ code: String) throws(Refusal) -> Void
    ) throws(Refusal) -> IdentityAssertion {
        IdentityAssertion(subject: "001", clientID: "app", tokenHash: [1], issuedAt: now, expiresAt: now + .seconds(1))
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
    private let device = Device(userAgent: nil, address: nil)

    init() throws {
        let primitives = Primitives(
            now: { Timestamp(seconds: 0) }, random: { [UInt8](repeating: 0, count: $0) }, equal: { $0 == $1 })
        let policy = Policy.ofTests(devSecretHash: Array("secret".utf8))
        auth = try AuthService(
            store: store, tokens: TrustingTokens(), apple: TrustingApple(), hasher: PlainHashes(), policy: policy,
            primitives: primitives)
    }

    @Test("every use case reports the storage failure, and none refuses the credentials")
    func everything() {
        let credential = IdentityCredential(identityToken: "x")
        let caller = TrustingTokens().caller
        #expect(throws: storageFailure) {
            try auth.logIn(IdentityLogin(credential: credential), from: device)
        }
        #expect(throws: storageFailure) {
            try auth.logIn(DevLogin(email: "a@b", secret: "secret"), from: device)
        }
        #expect(throws: storageFailure) { try auth.refresh("x") }
        #expect(throws: storageFailure) { try auth.users([UserID("x")]) }
        #expect(throws: storageFailure) { try auth.currentUser(caller) }
        #expect(throws: storageFailure) { try auth.logOut([1], refreshToken: nil) }
        #expect(throws: storageFailure) { try auth.logOutEverywhere([1], from: device) }
        #expect(throws: storageFailure) { try auth.sessions(of: caller) }
        #expect(throws: storageFailure) { try auth.update(ProfileChange(), of: caller) }
        #expect(throws: storageFailure) { try auth.deleteAccount(of: caller, requestID: "test") }
        #expect(throws: storageFailure) {
            try auth.endSession(SessionID("sess_2"), of: [1], from: device)
        }
    }

    @Test(
        "a guarded request is accepted until the revocation counter changes, and then fails")
    func guarded() throws {
        #expect(try auth.authenticate([1]) == TrustingTokens().caller)
        store.incrementRevocationCounter()
        #expect(throws: storageFailure) { try auth.authenticate([1]) }
    }

    @Test("a logout that was not recorded does not end the session")
    func noHalfLogout() throws {
        #expect(throws: storageFailure) { try auth.logOut([1], refreshToken: nil) }
        #expect(try auth.authenticate([1]) == TrustingTokens().caller)
    }
}
