import Gatehouse
import StoreSupport
import Testing

/// The rotation rule as a table, for a session of generation 5 whose token was issued at second 1000 and expires at
/// second 2000. The token of generation 4 expires at second 1600, the token of generation 3 at second 1200.
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
        _ session: Session, generation: Int64, hash: [UInt8], at seconds: Int64, user: String = "user_1",
        confirmedAt: Int64? = nil, policy: RefreshPolicy = policy
    ) -> Rotation {
        let expiry = Timestamp(seconds: generation == 5 ? 2000 : generation == 4 ? 1600 : 1200)
        let presented = PresentedToken(
            sessionID: session.id, userID: UserID(user), generation: generation, random: [],
            issuedAt: Timestamp(seconds: 1000), expiresAt: expiry, hash: hash)
        return Rotation.decide(
            session, confirmedAt: confirmedAt.map { Timestamp(seconds: $0) }, presented: presented, policy: policy,
            now: Timestamp(seconds: seconds), random: { _, _ in [] }, equal: ==)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let generation: Int64
        let hash: [UInt8]
        let at: Int64
        let confirmedAt: Int64?
        let outcome: Rotation
        var testDescription: String {
            "generation \(generation) with hash \(hash) at \(at), confirmed at \(confirmedAt ?? 0)"
        }

        init(_ generation: Int64, _ hash: [UInt8], at: Int64, confirmed: Int64? = nil, _ outcome: Rotation) {
            (self.generation, self.hash, self.at, self.outcome) = (generation, hash, at, outcome)
            confirmedAt = confirmed
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
            Case(5, current, at: 1500, confirmed: 1001, .advance),
            Case(4, previous, at: 1000, .repeatCurrent),
            Case(4, previous, at: 1031, .repeatCurrent),
            // Also after its own expiry, for as long as the session lives.
            Case(4, previous, at: 1999, .repeatCurrent),
            Case(4, previous, at: 2000, .refuse(.refreshTokenExpired)),
            Case(4, previous, at: 1100, confirmed: 1100, .repeatCurrent),
            Case(4, previous, at: 1130, confirmed: 1100, .repeatCurrent),
            Case(4, previous, at: 1131, confirmed: 1100, .endForReuse),
            Case(4, previous, at: 1605, confirmed: 1590, .repeatCurrent),
            Case(4, previous, at: 1599, confirmed: 1100, .endForReuse),
            // Confirmed by a clock that is behind.
            Case(4, previous, at: 1030, confirmed: 980, .repeatCurrent),
            Case(4, previous, at: 1031, confirmed: 980, .endForReuse),
            Case(4, previous, at: 1600, confirmed: 1100, .endForReuse),
            Case(4, current, at: 1000, .refuse(.invalidRefreshToken)),
            Case(4, current, at: 1500, confirmed: 1001, .refuse(.invalidRefreshToken)),
            Case(3, [3], at: 1000, .endForReuse),
            Case(3, [3], at: 1000, confirmed: 1000, .endForReuse),
            Case(3, [3], at: 1200, .endForReuse),
            Case(1, [1], at: 1000, .endForReuse),
            Case(0, [0], at: 1000, .refuse(.invalidRefreshToken)),
            Case(-5, [1], at: 1000, .refuse(.invalidRefreshToken)),
            Case(6, [6], at: 1000, .refuse(.invalidRefreshToken)),
            Case(.max, current, at: 1000, .refuse(.invalidRefreshToken)),
        ])
    func activeSession(_ given: Case) {
        let outcome = decide(
            session(), generation: given.generation, hash: given.hash, at: given.at, confirmedAt: given.confirmedAt)
        #expect(outcome == given.outcome)
    }

    @Test(
        "REFRESH_LOST_ANSWER limits how long an unused successor is returned again",
        arguments: [
            Case(4, previous, at: 1130, .repeatCurrent), Case(4, previous, at: 1131, .endForReuse),
            Case(4, previous, at: 1050, confirmed: 1020, .repeatCurrent),
            Case(4, previous, at: 1051, confirmed: 1020, .endForReuse),
            Case(4, previous, at: 1150, confirmed: 1120, .repeatCurrent),
            Case(4, previous, at: 1151, confirmed: 1120, .endForReuse),
            Case(4, previous, at: 1150, confirmed: 1140, .endForReuse),
        ])
    func limit(_ given: Case) {
        var policy = Self.policy
        policy.lostAnswer = .seconds(100)
        let outcome = decide(
            session(), generation: given.generation, hash: given.hash, at: given.at, confirmedAt: given.confirmedAt,
            policy: policy)
        #expect(outcome == given.outcome)
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
