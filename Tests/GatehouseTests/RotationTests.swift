import Gatehouse
import StoreSupport
import Testing

/// The rotation rule as a table, for a session of generation 5 whose token was issued at second 1000.
@Suite("Rotation")
struct RotationTests {
    private static let policy = RefreshPolicy.ofTests(reuseGrace: .seconds(30))
    private static let current: [UInt8] = [5]
    private static let previous: [UInt8] = [4]

    private func session(revokedFor reason: RevokeReason? = nil) -> Session {
        Session(
            id: SessionID("sess_1"), userID: UserID("user_1"), provider: .apple, clientID: "app",
            device: Device(userAgent: nil, address: nil), createdAt: Timestamp(seconds: 0),
            token: SessionToken(
                generation: 5, random: [], issuedAt: Timestamp(seconds: 1000), expiresAt: Timestamp(seconds: 2000),
                hash: Self.current),
            previousHash: Self.previous, revokedAt: reason.map { _ in Timestamp(seconds: 1001) }, revokeReason: reason)
    }

    private func decide(
        _ session: Session, generation: Int64, hash: [UInt8], at seconds: Int64, user: String = "user_1"
    ) -> Rotation {
        let presented = PresentedToken(
            sessionID: session.id, userID: UserID(user), generation: generation, hash: hash)
        return Rotation.decide(
            session, presented: presented, policy: Self.policy, now: Timestamp(seconds: seconds), equal: ==)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let generation: Int64
        let hash: [UInt8]
        let at: Int64
        let outcome: Rotation
        var testDescription: String { "generation \(generation) with hash \(hash) at \(at)" }

        init(_ generation: Int64, _ hash: [UInt8], at: Int64, _ outcome: Rotation) {
            (self.generation, self.hash, self.at, self.outcome) = (generation, hash, at, outcome)
        }
    }

    @Test(
        "the generation, the hash and the time of a token decide, if its session is active",
        arguments: [
            Case(5, current, at: 1000, .advance),
            Case(5, current, at: 1999, .advance),
            Case(5, current, at: 2000, .refuse(.refreshTokenExpired)),
            Case(5, previous, at: 1000, .refuse(.invalidRefreshToken)),
            Case(5, [], at: 1000, .refuse(.invalidRefreshToken)),
            Case(4, previous, at: 1000, .repeatCurrent),
            Case(4, previous, at: 1030, .repeatCurrent),
            Case(4, previous, at: 1031, .endForReuse),
            Case(4, current, at: 1000, .refuse(.invalidRefreshToken)),
            Case(4, current, at: 1500, .refuse(.invalidRefreshToken)),
            Case(3, [3], at: 1000, .endForReuse),
            Case(1, [1], at: 1000, .endForReuse),
            Case(0, [0], at: 1000, .refuse(.invalidRefreshToken)),
            Case(-5, [1], at: 1000, .refuse(.invalidRefreshToken)),
            Case(6, [6], at: 1000, .refuse(.invalidRefreshToken)),
            Case(.max, current, at: 1000, .refuse(.invalidRefreshToken)),
        ])
    func activeSession(_ given: Case) {
        #expect(decide(session(), generation: given.generation, hash: given.hash, at: given.at) == given.outcome)
    }

    @Test("a token of another user is refused, even if everything else matches")
    func foreignUser() {
        let outcome = decide(session(), generation: 5, hash: Self.current, at: 1000, user: "user_2")
        #expect(outcome == .refuse(.invalidRefreshToken))
    }

    @Test(
        "a session that has ended stays ended, and the refusal states the reason",
        arguments: [(RevokeReason.logout, Refusal.refreshTokenRevoked), (.reuse, .refreshTokenReused)],
        [Int64(5), 4, 3])
    func endedSession(_ end: (reason: RevokeReason, refusal: Refusal), _ generation: Int64) {
        let hash = [UInt8(generation)]
        let outcome = decide(session(revokedFor: end.reason), generation: generation, hash: hash, at: 1001)
        #expect(outcome == .refuse(end.refusal))
    }

    @Test("a token before the first generation is refused")
    func firstGeneration() {
        var first = session()
        first.previousHash = nil
        #expect(decide(first, generation: 4, hash: [], at: 1000) == .refuse(.invalidRefreshToken))
    }

    @Test("a token expires after its lifetime or at its session's maximum age, whichever is earlier")
    func expiry() {
        let policy = RefreshPolicy.ofTests(tokenLifetime: .seconds(100), sessionMaximumAge: .seconds(250))
        let login = Timestamp(seconds: 0)
        #expect(policy.expiry(issuedAt: login, sessionCreatedAt: login) == Timestamp(seconds: 100))
        #expect(
            policy.expiry(issuedAt: Timestamp(seconds: 200), sessionCreatedAt: login) == Timestamp(seconds: 250))
        #expect(
            policy.expiry(issuedAt: Timestamp(milliseconds: 1999), sessionCreatedAt: login) == Timestamp(seconds: 101))
    }
}
