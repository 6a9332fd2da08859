import Synchronization
import Testing

@testable import Gatehouse

@Suite("Revocations")
struct RevocationsTests {
    private let noon = Timestamp(seconds: 43_200)
    private let store = RevocationLogStore()

    private func revocations() throws -> Revocations { try Revocations(store: store, lifetime: .seconds(900)) }

    private func ofSeveralNodes() throws -> (RevocationLogStore, ElapsedTime, Revocations) {
        let (store, elapsed) = (RevocationLogStore(isShared: true), ElapsedTime())
        return (store, elapsed, try Revocations(store: store, lifetime: .seconds(900), clock: elapsed.now))
    }

    private func caller(_ session: String, user: String = "u", role: Role = .user) -> Caller {
        Caller(
            userID: UserID(user), sessionID: SessionID(session), generation: 1, role: role,
            authenticatedAt: Timestamp(seconds: 0))
    }

    @Test("a token with other attributes than the listed ones is refused, and one that lacks an unlisted one is not")
    func attributes() throws {
        let revocations = try revocations()
        func caller(_ json: String) -> Caller {
            Caller(
                userID: UserID("u"), sessionID: SessionID("a"), generation: 1, role: .user,
                authenticatedAt: Timestamp(seconds: 0), attributes: Attributes(canonical: json))
        }
        let free = caller(#"{"plan":"free"}"#)
        revocations.useAttributes(["plan"])
        #expect(refusal(revocations, free) == nil)
        let all = Attributes(canonical: #"{"plan":"pro","x":1}"#)
        store.append(.user(UserID("u"), UserState(role: .user, status: .active, attributes: all)))
        try revocations.catchUp()
        #expect(refusal(revocations, free) == .sessionRevoked)
        #expect(refusal(revocations, caller("{}")) == .sessionRevoked)
        #expect(refusal(revocations, caller(#"{"plan":"pro"}"#)) == nil)
    }

    private func refusal(_ revocations: Revocations, _ caller: Caller) -> Refusal? {
        do throws(Refusal) {
            try revocations.check(caller)
            return nil
        } catch {
            return error
        }
    }

    @Test("a session is refused as soon as it ends, and no other session is")
    func session() throws {
        let revocations = try revocations()
        #expect(refusal(revocations, caller("a")) == nil)
        revocations.insert(SessionID("a"))
        #expect(refusal(revocations, caller("a")) == .sessionRevoked)
        #expect(refusal(revocations, caller("A")) == nil)
    }

    @Test("a session in the log at the start is refused")
    func start() throws {
        store.append(.session(SessionID("a")))
        #expect(refusal(try revocations(), caller("a")) == .sessionRevoked)
    }

    @Test("the log is read when another process increments the counter, and not before")
    func counter() throws {
        let revocations = try revocations()
        let readCount = store.readCount
        for _ in 0..<100 { try revocations.catchUpIfChanged() }
        #expect(store.readCount == readCount)
        store.append(.session(SessionID("a")))
        try revocations.catchUpIfChanged()
        #expect(refusal(revocations, caller("a")) == .sessionRevoked)
        try revocations.catchUpIfChanged()
        #expect(store.readCount == readCount + 1)
    }

    @Test("an entry that is added while the log is read is found by the next look at the counter")
    func duringReading() throws {
        let revocations = try revocations()
        store.append(.session(SessionID("a")))
        store.onNextRead { [store] in store.append(.session(SessionID("b"))) }
        try revocations.catchUpIfChanged()
        #expect(refusal(revocations, caller("b")) == nil, "it ended after the log was read")
        try revocations.catchUpIfChanged()
        #expect(refusal(revocations, caller("b")) == .sessionRevoked)
    }

    @Test("an end without an increment of the counter is found by the next regular read")
    func withoutCounter() throws {
        let revocations = try revocations()
        store.append(.session(SessionID("a")), incrementsCounter: false)
        try revocations.catchUpIfChanged()
        #expect(refusal(revocations, caller("a")) == nil)
        try revocations.catchUp()
        #expect(refusal(revocations, caller("a")) == .sessionRevoked)
    }

    @Test(
        "a token is refused if the role or the status of its user has changed",
        arguments: [
            (UserState(role: .user, status: .disabled), Refusal.userDisabled as Refusal?),
            (UserState(role: .user, status: .deleted), .sessionRevoked),
            (UserState(role: .admin, status: .active), .sessionRevoked), (UserState(role: .user, status: .active), nil),
        ])
    func userState(_ state: UserState, _ expected: Refusal?) throws {
        store.append(.user(UserID("u"), state))
        let revocations = try revocations()
        #expect(refusal(revocations, caller("a")) == expected)
        #expect(refusal(revocations, caller("a", user: "v")) == nil)
    }

    @Test("sessions that have ended stay ended when their user is enabled again")
    func enabled() throws {
        store.append(.session(SessionID("a")))
        store.append(.user(UserID("u"), UserState(role: .user, status: .disabled)))
        let revocations = try revocations()
        #expect(refusal(revocations, caller("a")) == .userDisabled)
        store.append(.user(UserID("u"), UserState(role: .user, status: .active)))
        try revocations.catchUpIfChanged()
        #expect(refusal(revocations, caller("a")) == .sessionRevoked)
        #expect(refusal(revocations, caller("b")) == nil)
    }

    @Test("a guest's token counts as a user's once the log says so, and the user is read once where the log does not")
    func guests() throws {
        let store = RevocationLogStore(isShared: true)
        let revocations = try Revocations(store: store, lifetime: .seconds(900))
        var guest = caller("a")
        #expect(try !revocations.isGuest(guest))
        guest.isGuest = true
        #expect(try revocations.isGuest(guest))
        store.set(User(id: UserID("u"), email: nil, nickname: nil, createdAt: noon, guestKey: "key"))
        store.append(.user(UserID("u"), nil))
        try revocations.catchUpIfChanged()
        for _ in 1...3 { #expect(try revocations.isGuest(guest), "another change") }
        #expect(store.userReadCount == 1)
        store.set(User(id: UserID("u"), email: nil, nickname: nil, createdAt: noon))
        store.append(.user(UserID("u"), nil))
        try revocations.catchUpIfChanged()
        for _ in 1...3 { #expect(try !revocations.isGuest(guest)) }
        #expect(store.userReadCount == 2)
        #expect(refusal(revocations, guest) == nil)
    }

    @Test("a new token has the current role, even right after a change")
    func roles() throws {
        let revocations = try revocations()
        let user = User(id: UserID("u"), email: nil, nickname: nil, role: .admin, createdAt: noon)
        #expect(try revocations.claims(of: user, listing: []).role == .admin)
        for role in [Role.superAdmin, .user, .superAdmin] {
            store.append(.user(user.id, UserState(role: role, status: .active)))
            #expect(try revocations.claims(of: user, listing: []).role == role)
        }
    }

    @Test("of a database that other nodes change, a token has the role that was read, and the last one is accepted")
    func rolesByOtherNodes() throws {
        let store = RevocationLogStore(isShared: true)
        store.append(.user(UserID("u"), UserState(role: .user, status: .active)))
        let revocations = try Revocations(store: store, lifetime: .seconds(900))
        let promoted = User(id: UserID("u"), email: nil, nickname: nil, role: .admin, createdAt: noon)
        store.set(promoted)
        #expect(try revocations.claims(of: promoted, listing: []).role == .admin)
        #expect(refusal(revocations, caller("a", role: .admin)) == nil)
        #expect(refusal(revocations, caller("a", role: .superAdmin)) == .sessionRevoked)
        revocations.insert(SessionID("a"))
        #expect(refusal(revocations, caller("a", role: .admin)) == .sessionRevoked)
    }

    @Test("a change without a state has the user read: once, and before that the user is not accepted")
    func unknownState() throws {
        let store = RevocationLogStore(isShared: true)
        store.append(.user(UserID("u"), nil))
        let revocations = try Revocations(store: store, lifetime: .seconds(900))
        store.set(User(id: UserID("u"), email: nil, nickname: nil, role: .admin, createdAt: noon))
        store.setReadable(false)
        #expect(refusal(revocations, caller("a", role: .admin)) == storageFailure)
        revocations.insert(SessionID("b"))
        #expect(refusal(revocations, caller("b", role: .admin)) == .sessionRevoked)
        store.setReadable(true)
        for _ in 1...3 { #expect(refusal(revocations, caller("a", role: .admin)) == nil) }
        #expect(store.userReadCount == 1)
        #expect(refusal(revocations, caller("a")) == .sessionRevoked)
        // Another change.
        store.set(User(id: UserID("u"), email: nil, nickname: nil, role: .user, createdAt: noon))
        store.append(.user(UserID("u"), nil))
        try revocations.catchUpIfChanged()
        #expect(refusal(revocations, caller("a", role: .admin)) == .sessionRevoked)
        #expect(refusal(revocations, caller("a")) == nil)
        #expect(refusal(revocations, caller("c", user: "v")) == nil)
    }

    @Test("a node that has not read the log of other nodes for half a minute refuses requests until it has read it")
    func blindness() throws {
        let (store, elapsed, revocations) = try ofSeveralNodes()
        store.setReadable(false)
        elapsed.advance(by: .seconds(30))
        try revocations.requireCurrent()
        elapsed.advance(by: .milliseconds(1))
        for _ in 1...2 {
            #expect(throws: storageFailure) { try revocations.catchUp() }
            let refusal = #expect(throws: Refusal.self) { try revocations.requireCurrent() }
            guard case .storageUnavailable = refusal else {
                Issue.record("\(String(describing: refusal))")
                continue
            }
        }
        store.setReadable(true)
        try revocations.catchUp()
        try revocations.requireCurrent()
        #expect(revocations.age == .zero)
    }

    @Test("the first request after a suspension reads the log", arguments: [1.2, 3, 29, 31, 100_000])
    func suspension(seconds: Double) throws {
        let (store, elapsed, revocations) = try ofSeveralNodes()
        elapsed.advance(by: .seconds(1))
        try revocations.requireCurrent()
        let readCount = store.readCount
        store.append(.session(SessionID("a")), incrementsCounter: false)
        elapsed.advance(by: .seconds(seconds))
        for _ in 1...3 {
            try revocations.requireCurrent()
            #expect(refusal(revocations, caller("a")) == .sessionRevoked)
        }
        #expect(store.readCount == readCount + 1)
    }

    @Test("a reading during which the process was suspended is done again")
    func suspendedReading() throws {
        let (store, elapsed, revocations) = try ofSeveralNodes()
        store.onNextRead {
            elapsed.advance(by: .seconds(3))
            store.append(.session(SessionID("a")), incrementsCounter: false)
        }
        try revocations.catchUp()
        #expect(refusal(revocations, caller("a")) == nil, "it ended after the log was read")
        try revocations.requireCurrent()
        #expect(refusal(revocations, caller("a")) == .sessionRevoked)
    }

    @Test("while the log cannot be read, requests do not try to read it, and neither does a node in normal work")
    func requestsDoNotRead() throws {
        let (store, elapsed, revocations) = try ofSeveralNodes()
        var readings = 1
        for isReadable in [true, false] {
            store.setReadable(isReadable)
            for _ in 1...20 {
                for _ in 1...3 {
                    elapsed.advance(by: .milliseconds(350))
                    try revocations.requireCurrent()
                }
                #expect(store.readCount == readings)
                try? revocations.catchUp()
                readings += 1
            }
        }
        // Once after a suspension, whatever the result.
        elapsed.advance(by: .seconds(5))
        for _ in 1...3 { try revocations.requireCurrent() }
        #expect(store.readCount == readings + 1)
    }

    @Test("where no other node ends anything, the age of the log does not matter")
    func alone() throws {
        let elapsed = ElapsedTime()
        let revocations = try Revocations(store: store, lifetime: .seconds(900), clock: elapsed.now)
        elapsed.advance(by: .seconds(86_400))
        try revocations.requireCurrent()
        #expect(revocations.age == nil)
    }

    /// A clock that stands still unless it is advanced.
    private final class ElapsedTime: Sendable {
        private let moment = Mutex(ContinuousClock.now)

        var now: @Sendable () -> ContinuousClock.Instant { { self.moment.withLock { $0 } } }

        func advance(by time: Duration) { moment.withLock { $0 += time } }
    }

    @Test("an entry is kept as long as an access token can be valid after it was read, whatever the clock says")
    func retention() throws {
        let elapsed = ElapsedTime()
        // By the clock of another machine, long ago and far in the future.
        store.append(.session(SessionID("past")), at: Timestamp(seconds: 0))
        store.append(.session(SessionID("future")), at: noon + .seconds(1_000_000))
        let revocations = try Revocations(store: store, lifetime: .seconds(10), clock: elapsed.now)
        for number in 0..<1000 { revocations.insert(SessionID("first-\(number)")) }
        elapsed.advance(by: .seconds(10))
        for number in 0..<5000 { revocations.insert(SessionID("second-\(number)")) }
        for session in ["past", "future", "first-0", "first-999", "second-0"] {
            #expect(refusal(revocations, caller(session)) == .sessionRevoked)
        }
        elapsed.advance(by: .milliseconds(1))
        for number in 0..<20_000 { revocations.insert(SessionID("third-\(number)")) }
        for session in ["past", "future", "first-0", "first-999"] {
            #expect(refusal(revocations, caller(session)) == nil)
        }
        for number in 0..<5000 { #expect(refusal(revocations, caller("second-\(number)")) == .sessionRevoked) }
    }
}
