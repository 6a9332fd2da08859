import Gatehouse
import StoreSupport
import Synchronization
import Testing

@Suite("Two exchanges of one code at the same time")
struct ExchangeRaceTests {
    @Test("The one that read the unused code and comes second ends the session of the first")
    func second() throws {
        let store = RacingStore()
        var policy = Policy.ofTests()
        policy.web = WebPolicy(redirectURIs: [try RedirectURI(RacingStore.address)])
        let auth = try AuthService.ofTests(store, policy: policy)
        var context = RequestContext(id: "test")
        #expect(throws: Refusal.invalidGrant) {
            _ = try auth.exchange(
                CodeGrant(code: "code", codeVerifier: "verifier"), from: .unknown, in: &context)
        }
        #expect(store.ended == [SessionID("sess_first"): .codeReuse])
    }
}

/// The other exchange writes after this one has read the code.
private final class RacingStore: PartialStore {
    static let address = "https://app.example.com/signed-in"
    private let state = Mutex((isUsed: false, ended: [SessionID: RevokeReason]()))

    var ended: [SessionID: RevokeReason] { state.withLock { $0.ended } }

    func authorizationCode(_ hash: [UInt8]) throws(Refusal) -> StoredAuthorizationCode? {
        state.withLock { state in
            defer { state.isUsed = true }
            return StoredAuthorizationCode(
                hash: hash, redirectURI: Self.address, codeChallenge: "verifier", sealedProof: Array("ann".utf8),
                expiresAt: Timestamp(seconds: 60), sessionID: state.isUsed ? SessionID("sess_first") : nil)
        }
    }

    func record(
        _: Login, limit: Int, by decide: @escaping (IdentityFacts) -> LoginDecision
    ) throws(Refusal) -> (decision: LoginDecision, ended: [EndedSession]) {
        (decide(IdentityFacts(use: .replayed)), [])
    }

    func session(_ id: SessionID) throws(Refusal) -> (session: Session, user: User)? {
        let user = User(id: UserID("user_1"), email: nil, nickname: nil, createdAt: Timestamp(seconds: 0))
        let token = SessionToken(
            generation: 1, random: [1], issuedAt: user.createdAt, expiresAt: user.createdAt + .seconds(60), hash: [1])
        let session = Session(
            id: id, userID: user.id, provider: .dev, clientID: "app", device: .unknown, createdAt: user.createdAt,
            token: token)
        return (session, user)
    }

    func revoke(_ id: SessionID, for reason: RevokeReason, recording: AuditEntry) throws(Refusal) -> Bool {
        state.withLock { $0.ended.updateValue(reason, forKey: id) == nil }
    }

    func revocations(after place: Int64) throws(Refusal) -> [Revocation] { [] }
}
