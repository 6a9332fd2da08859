import Gatehouse
import Testing

@Suite("What has been revoked")
struct RevocationsTests {
    private let noon = Timestamp(seconds: 43_200)
    private let store = LogStore()

    private func revocations(lifetime: Duration = .seconds(900), at moment: Timestamp? = nil) throws -> Revocations {
        let now = moment ?? noon
        return try Revocations(store: store, lifetime: lifetime, now: { now })
    }

    private func caller(_ session: String, user: String = "u", role: Role = .user) -> Caller {
        Caller(
            userID: UserID(user), sessionID: SessionID(session), role: role,
            authenticatedAt: Timestamp(seconds: 0))
    }

    private func refusal(_ revocations: Revocations, _ caller: Caller) -> Refusal? {
        do throws(Refusal) {
            try revocations.admit(caller)
            return nil
        } catch {
            return error
        }
    }

    @Test("a session is refused from the moment it ends, and no other one")
    func session() throws {
        let revocations = try revocations()
        #expect(refusal(revocations, caller("a")) == nil)
        revocations.insert(SessionID("a"), at: noon)
        #expect(refusal(revocations, caller("a")) == .sessionRevoked)
        #expect(refusal(revocations, caller("A")) == nil)
    }

    @Test("what the log held at the start is known at the start")
    func start() throws {
        store.append(.session(SessionID("a")))
        #expect(refusal(try revocations(), caller("a")) == .sessionRevoked)
    }

    @Test("what another process has ended is known as soon as it gives a sign, and the log is read for nothing else")
    func sign() throws {
        let revocations = try revocations()
        let readings = store.readings
        for _ in 0..<100 { try revocations.catchUpIfSigned() }
        #expect(store.readings == readings)
        store.append(.session(SessionID("a")))
        try revocations.catchUpIfSigned()
        #expect(refusal(revocations, caller("a")) == .sessionRevoked)
        try revocations.catchUpIfSigned()
        #expect(store.readings == readings + 1)
    }

    @Test("what was ended without a sign is known at the next look all the same")
    func withoutSign() throws {
        let revocations = try revocations()
        store.append(.session(SessionID("a")), signing: false)
        try revocations.catchUpIfSigned()
        #expect(refusal(revocations, caller("a")) == nil)
        try revocations.catchUp()
        #expect(refusal(revocations, caller("a")) == .sessionRevoked)
    }

    @Test(
        "a user of another standing than their token says is refused",
        arguments: [
            (Standing(role: .user, status: .disabled), Refusal.userDisabled as Refusal?),
            (Standing(role: .user, status: .deleted), .sessionRevoked),
            (Standing(role: .admin, status: .active), .sessionRevoked),
            (Standing(role: .user, status: .active), nil),
        ])
    func standing(_ standing: Standing, _ expected: Refusal?) throws {
        store.append(.user(UserID("u"), standing))
        let revocations = try revocations()
        #expect(refusal(revocations, caller("a")) == expected)
        #expect(refusal(revocations, caller("a", user: "v")) == nil)
    }

    @Test("an enabled user's ended sessions stay ended")
    func enabled() throws {
        store.append(.session(SessionID("a")))
        store.append(.user(UserID("u"), Standing(role: .user, status: .disabled)))
        let revocations = try revocations()
        #expect(refusal(revocations, caller("a")) == .userDisabled)
        store.append(.user(UserID("u"), Standing(role: .user, status: .active)))
        try revocations.catchUpIfSigned()
        #expect(refusal(revocations, caller("a")) == .sessionRevoked)
        #expect(refusal(revocations, caller("b")) == nil)
    }

    @Test("a token names the role of now, also where the last change was a moment ago")
    func roles() throws {
        let revocations = try revocations()
        let user = User(id: UserID("u"), email: nil, nickname: nil, role: .admin, createdAt: noon)
        #expect(try revocations.role(of: user) == .admin)
        for role in [Role.superAdmin, .user, .superAdmin] {
            store.append(.user(user.id, Standing(role: role, status: .active)))
            #expect(try revocations.role(of: user) == role)
        }
    }

    @Test("it is remembered for as long as an access token can live, and then forgotten: memory holds what is needed")
    func forgotten() throws {
        for second in 0..<5000 {
            store.append(.session(SessionID("\(second)")), at: noon + .seconds(second))
        }
        let later = noon + .seconds(4999)
        let revocations = try revocations(lifetime: .seconds(10), at: later)
        for number in 0..<1000 { revocations.insert(SessionID("new-\(number)"), at: later) }
        let kept = (0..<5000).filter { refusal(revocations, caller("\($0)")) != nil }
        #expect(kept.elementsEqual(4989...4999))
        #expect((0..<1000).allSatisfy { refusal(revocations, caller("new-\($0)")) == .sessionRevoked })
    }
}
