import Gatehouse
import StoreSupport
import Synchronization
import Testing

@Suite("A decision that the store repeats")
struct RepeatedDecisionTests {
    @Test("the answer has the tokens of the last decision")
    func last() throws {
        let store = RepeatingStore()
        let counter = Atomic<UInt8>(0)
        let primitives = Primitives(
            now: { Timestamp(seconds: 0) },
            random: { count in [UInt8](repeating: counter.add(1, ordering: .relaxed).newValue, count: count) },
            equal: { $0 == $1 })
        let auth = try AuthService(
            store: store, tokens: PlainTokens(), apple: UnavailableAppleVerifier(), hasher: PlainHashes(),
            policy: .ofTests(devSecretHash: []), primitives: primitives)
        let login = try auth.logIn(DevLogin(email: "a@example.com", secret: ""), from: .unknown)
        #expect(store.hash == PlainTokens().hash(login.tokens.refreshToken))
        let pair = try auth.refresh(login.tokens.refreshToken)
        #expect(pair.refreshToken != login.tokens.refreshToken)
        #expect(store.hash == PlainTokens().hash(pair.refreshToken))
        #expect(try auth.refresh(login.tokens.refreshToken).refreshToken == pair.refreshToken)
    }
}

/// Calls each decision twice, as after a failed transaction, and uses the second result.
private final class RepeatingStore: PartialStore {
    private let state = Mutex<(user: User, session: Session)?>(nil)

    var hash: [UInt8]? { state.withLock { $0?.session.token.hash } }

    func record(
        _: Login, limit: Int, by decide: @escaping (LoginFacts) -> LoginDecision
    ) throws(Refusal) -> (decision: LoginDecision, ended: [SessionID]) {
        _ = decide(LoginFacts())
        let decision = decide(LoginFacts())
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
