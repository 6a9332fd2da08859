import Gatehouse
import StoreSupport
import Synchronization
import Testing

/// A transaction that began anew.
@Suite("Where the store has to ask twice")
struct DecidedTwiceTests {
    @Test("what is given out is what was decided on last")
    func last() throws {
        let store = AskingTwice()
        let dice = Atomic<UInt8>(0)
        let world = World(
            now: { Timestamp(seconds: 0) },
            random: { count in [UInt8](repeating: dice.add(1, ordering: .relaxed).newValue, count: count) },
            equal: { $0 == $1 })
        let gatekeeper = try Gatekeeper(
            store: store, tokens: PlainTokens(), apple: NoApple(), hasher: PlainHashes(),
            policy: Policy(devSecretHash: [], defaultClientID: "app"), world: world)
        let login = try gatekeeper.signIn(DevLogin(email: "a@example.com", secret: ""), from: .unknown)
        #expect(store.hash == PlainTokens().hash(login.tokens.refreshToken))
        let pair = try gatekeeper.refresh(login.tokens.refreshToken)
        #expect(pair.refreshToken != login.tokens.refreshToken)
        #expect(store.hash == PlainTokens().hash(pair.refreshToken))
        #expect(try gatekeeper.refresh(login.tokens.refreshToken).refreshToken == pair.refreshToken)
    }
}

/// Keeps the second answer to all that it asks.
private final class AskingTwice: PartialStore {
    private let state = Mutex<(user: User, session: Session)?>(nil)

    var hash: [UInt8]? { state.withLock { $0?.session.token.hash } }

    func record(_: Login, limit: Int, opening session: @escaping (User?) -> NewSession) throws(StoreFailure)
        -> LoginOutcome
    {
        _ = session(nil)
        let new = session(nil)
        state.withLock { $0 = (new.user, new.session) }
        return .recorded(new.user, ended: [])
    }

    func change(
        _: SessionID, now: Timestamp, by decide: @escaping (Session, User) -> SessionChange?
    ) throws(StoreFailure) -> (session: Session, user: User, change: SessionChange?)? {
        guard let (user, session) = state.withLock({ $0 }) else { return nil }
        _ = decide(session, user)
        let change = decide(session, user)
        var next = session
        if let change, next.make(change) { state.withLock { $0 = (user, next) } }
        return (session, user, change)
    }

    func revocations(after place: Int64) throws(StoreFailure) -> [Revocation] { [] }
}
