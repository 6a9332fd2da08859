import Gatehouse
import StoreSupport
import Synchronization
import Testing

@Suite("Confirmations of refresh tokens")
struct ConfirmationsTests {
    private let store = ConfirmationStore()
    private let auth: AuthService
    private static let noon = Timestamp(seconds: 43_200)

    init() throws {
        auth = try AuthService(
            store: store, tokens: PlainTokens(), apple: UnavailableAppleVerifier(), hasher: PlainHashes(),
            policy: .ofTests(), platform: Platform(now: { Self.noon }, random: { _ in [] }, equal: { $0 == $1 }))
    }

    private func use(_ session: String, generation: Int64) throws {
        let caller = Caller(
            userID: UserID("user_1"), sessionID: SessionID(session), generation: generation, role: .user,
            authenticatedAt: Self.noon)
        let claims = AccessClaims(
            caller: caller, clientID: "app", tokenID: "t", issuedAt: Self.noon, expiresAt: Self.noon + .seconds(60))
        _ = try auth.authenticate(Array(PlainTokens().accessToken(claims).utf8)[...])
    }

    @Test("a used generation is written once, and the newest one of a session counts, but not the first one or none")
    func once() throws {
        for generation in [0, 1] as [Int64] { try use("c", generation: generation) }
        for _ in 0..<3 { try use("a", generation: 2) }
        for generation in [4, 3] as [Int64] { try use("b", generation: generation) }
        try auth.flush()
        let expected = [("a", 2), ("b", 4)].map {
            TokenConfirmation(sessionID: SessionID($0.0), generation: Int64($0.1), moment: Self.noon)
        }
        #expect(store.written.sorted { $0.sessionID.text < $1.sessionID.text } == expected)
        try use("a", generation: 2)
        try auth.flush()
        #expect(store.written.count == 2)
    }

    @Test("confirmations that the store did not take are written later")
    func failure() throws {
        try use("a", generation: 2)
        store.fails.store(true, ordering: .relaxed)
        #expect(throws: storageFailure) { try auth.flush() }
        store.fails.store(false, ordering: .relaxed)
        try auth.flush()
        #expect(store.written.map(\.generation) == [2])
    }

    @Test("many sessions are written in several transactions, and none is left out")
    func many() throws {
        for number in 0..<1000 { try use("s\(number)", generation: 2) }
        try auth.flush()
        #expect(Set(store.written.map(\.sessionID)).count == 1000)
        #expect(store.largestBatch.load(ordering: .relaxed) <= 256)
    }

    @Test(
        "while confirmations cannot be written, connections are renewed, and rows deleted unless two clocks differ",
        arguments: [true, false])
    func maintenance(hasOtherTime: Bool) throws {
        try use("a", generation: 2)
        store.fails.store(true, ordering: .relaxed)
        store.hasOtherTime.store(hasOtherTime, ordering: .relaxed)
        #expect(throws: storageFailure) { try auth.runMaintenance() }
        #expect(store.purges.load(ordering: .relaxed) == (hasOtherTime ? 0 : 1))
        #expect(store.renewals.load(ordering: .relaxed) == 1)
    }
}

/// Records the confirmations that it is given.
private final class ConfirmationStore: PartialStore {
    private let all = Mutex<[TokenConfirmation]>([])
    let fails = Atomic(false)
    let hasOtherTime = Atomic(false)
    let purges = Atomic(0)
    let renewals = Atomic(0)
    let largestBatch = Atomic(0)

    var written: [TokenConfirmation] { all.withLock { $0 } }

    func confirm(_ confirmations: [TokenConfirmation]) throws(Refusal) {
        if fails.load(ordering: .relaxed) { throw storageFailure }
        largestBatch.max(confirmations.count, ordering: .relaxed)
        all.withLock { $0 += confirmations }
    }

    func revocations(after place: Int64) throws(Refusal) -> [Revocation] { [] }

    func readClock() throws(Refusal) -> Timestamp? {
        hasOtherTime.load(ordering: .relaxed) ? Timestamp(seconds: 1) : nil
    }

    func renewConnections() { renewals.add(1, ordering: .relaxed) }

    func purge(_ limits: PurgeLimits) throws(Refusal) -> Bool {
        purges.add(1, ordering: .relaxed)
        return false
    }
}
