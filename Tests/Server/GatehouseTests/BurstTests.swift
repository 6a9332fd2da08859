import Gatehouse
import StoreSupport
import Testing

/// Old tokens that are presented during and after bursts of refreshes, with `Rotation.decide` alone.
///
/// The tests try every series of five rotations with the pauses below between them, then one more pause, and then present
/// the token of each older generation. `History` knows when each generation was superseded, and so the right answer; the
/// stored session, by which the rule decides, has only one of these times.
@Suite("Bursts of refreshes")
struct BurstTests {
    private static let grace = Duration.seconds(30)
    private static let pauses: [Duration] = [
        .milliseconds(100), .milliseconds(7300), .milliseconds(20_900), .milliseconds(29_900), .seconds(31),
        .seconds(900),
    ]
    private static let rotations = 5

    /// Calls `check` at the end of every series of rotations, and after each pause that may follow.
    private func explore(_ check: (History) -> Void) {
        func extend(_ history: History) {
            guard history.issuedAt.count <= Self.rotations else {
                for pause in [.zero] + Self.pauses { check(history.waiting(pause)) }
                return
            }
            for pause in Self.pauses { extend(history.waiting(pause).rotated(by: Self.policy)) }
        }
        extend(History())
    }

    private static let policy = RefreshPolicy.ofTests(reuseGrace: grace)

    @Test("a token that was superseded within the grace gets the current one, however many generations have passed")
    func raced() {
        explore { history in
            for generation in history.old where history.age(of: generation) < Self.grace {
                #expect(history.present(generation, by: Self.policy) == .repeatCurrent, "\(history) \(generation)")
            }
        }
    }

    @Test("a token that was superseded before the grace is theft")
    func theft() {
        explore { history in
            for generation in history.old where history.age(of: generation) >= Self.grace {
                // In a burst that lasts longer than the grace, one more grace is possible, in whole seconds.
                if history.isInLongBurst(generation, Self.grace),
                    history.age(of: generation) < Self.grace * 2 + .seconds(1)
                {
                    continue
                }
                #expect(history.present(generation, by: Self.policy) == .endForReuse, "\(history) \(generation)")
            }
        }
    }

    @Test("a token with another random part is refused: a leaked signing secret does not suffice")
    func forged() {
        let history = (1...4).reduce(History()) { history, _ in
            history.waiting(.milliseconds(100)).rotated(by: Self.policy)
        }
        #expect(history.present(2, by: Self.policy) == .repeatCurrent)
        #expect(history.present(2, random: [9], by: Self.policy) == .endForReuse)
    }

    @Test("without a grace every token before the previous one is theft")
    func noGrace() {
        let policy = RefreshPolicy.ofTests(reuseGrace: .zero)
        let history = (1...3).reduce(History()) { history, _ in history.rotated(by: policy) }
        for generation in history.old { #expect(history.present(generation, by: policy) == .endForReuse) }
    }

    @Test("a session without a chain, from before the migration, keeps the rule for the previous token alone")
    func olderSession() {
        var history = (1...3).reduce(History()) { history, _ in history.rotated(by: Self.policy) }
        history.chain = nil
        for generation in history.old { #expect(history.present(generation, by: Self.policy) == .endForReuse) }
    }
}

/// When each generation of a session was issued, and its stored fields.
private struct History: CustomStringConvertible {
    private(set) var issuedAt: [Timestamp] = [Timestamp(seconds: 1000)]
    private(set) var now = Timestamp(seconds: 1000)
    var chain: TokenChain? = TokenChain(seed: [1])

    private var current: Int64 { Int64(issuedAt.count) }

    /// The generations before the previous one.
    var old: [Int64] { Array(1..<max(1, current - 1)) }

    /// How long ago the generation was superseded.
    func age(of generation: Int64) -> Duration {
        .milliseconds(now.milliseconds - issuedAt[Int(generation)].milliseconds)
    }

    /// Whether all generations from this one on were replaced faster than the grace, in more time than the grace.
    func isInLongBurst(_ generation: Int64, _ grace: Duration) -> Bool {
        let times = issuedAt[Int(generation - 1)...].map(\.milliseconds) + [now.milliseconds]
        let steps = zip(times, times.dropFirst()).map { Duration.milliseconds($1 - $0) }
        return steps.allSatisfy { $0 < grace }
    }

    func waiting(_ pause: Duration) -> History {
        var next = self
        next.now = now + pause
        return next
    }

    func rotated(by policy: RefreshPolicy) -> History {
        var next = self
        next.chain = TokenChain(seed: [1], burst: policy.burst(chain?.burst, afterRotating: token(current), at: now))
        next.issuedAt.append(now)
        return next
    }

    func present(_ generation: Int64, random: [UInt8]? = nil, by policy: RefreshPolicy) -> Rotation {
        let session = Session(
            id: SessionID("s"), userID: UserID("u"), provider: .apple, clientID: "app", device: .unknown,
            createdAt: issuedAt[0], token: token(current), previousHash: [UInt8(current - 1)], chain: chain)
        let presented = PresentedToken(
            sessionID: session.id, userID: session.userID, generation: generation,
            random: random ?? [UInt8(generation)], issuedAt: Timestamp(seconds: token(generation).issuedAt.seconds),
            expiresAt: token(generation).expiresAt, hash: [UInt8(generation)])
        // A successor that was used at once gives the least time.
        return Rotation.decide(
            session, confirmedAt: session.token.issuedAt, presented: presented, policy: policy, now: now,
            random: { generation, _ in [UInt8(generation)] }, equal: ==)
    }

    private func token(_ generation: Int64) -> SessionToken {
        SessionToken(
            generation: generation, random: [], issuedAt: issuedAt[Int(generation - 1)],
            expiresAt: Timestamp(seconds: 1_000_000), hash: [UInt8(generation)])
    }

    var description: String { "issued at \(issuedAt), now \(now)" }
}
