import Gatehouse
import StoreSupport
import Testing

/// Tries every order of eight steps of an owner and a thief, with `Rotation.decide` alone: no store, no lost requests.
///
/// Steps are eight hours apart, so a grace period is over at the next step. Example of a theft: both hold generation 1.
/// The owner refreshes (2) and uses it, which confirms generation 2. Then the thief refreshes with 1: an old token with
/// a confirmed successor, so the session ends.
@Suite("Every order of refreshes")
struct RotationModelTests {
    private static let steps = 8

    @Test("an owner whose answers are lost is never refused, also when crashes lose the confirmations")
    func ownerAlone() {
        var leaves = 0
        explore(Chain(), [.ownerRefreshes, .ownerLosesAnswer, .ownerUses, .crash], Self.steps) { chain in
            leaves += 1
            #expect(chain.refusals == 0 && !chain.hasEnded, "\(chain.history)")
        }
        #expect(leaves == 65_536)
    }

    @Test("a theft is found once owner and thief have both used their tokens", arguments: 0..<steps)
    func theft(after count: Int) {
        explore(Chain(), [.ownerRefreshes, .ownerLosesAnswer, .ownerUses], count) { before in
            var stolen = before
            stolen.thief = before.owner
            let all: [Step] = [.ownerRefreshes, .ownerLosesAnswer, .ownerUses, .thiefRefreshes, .thiefUses]
            explore(stolen, all, Self.steps - 1 - count) { chain in
                var chain = chain
                for step in Step.useAndRefreshOfBoth { chain.take(step) }
                #expect(chain.hasEnded, "\(before.history) stolen \(chain.history)")
            }
        }
    }

    /// Calls `check` for every sequence of these steps.
    private func explore(_ chain: Chain, _ steps: [Step], _ count: Int, _ check: (Chain) -> Void) {
        guard count > 0 else { return check(chain) }
        for step in steps {
            var next = chain
            next.take(step)
            explore(next, steps, count - 1, check)
        }
    }
}

private enum Step {
    case ownerRefreshes, ownerLosesAnswer, ownerUses, thiefRefreshes, thiefUses
    /// The server loses what it has not written yet.
    case crash

    static let useAndRefreshOfBoth: [Step] = [
        .ownerUses, .thiefUses, .ownerRefreshes, .ownerUses, .thiefRefreshes, .thiefUses,
    ]
}

/// One session, and the generation of the tokens that each party holds.
private struct Chain {
    var owner: Int64 = 1
    var thief: Int64?
    private(set) var hasEnded = false
    private(set) var refusals = 0
    private(set) var history: [Step] = []
    private var current: Int64 = 1
    private var confirmedAt: Timestamp?
    private var now = Timestamp(seconds: 0)

    private static let pause = Duration.seconds(8 * 3600)
    private static let end = Timestamp(seconds: 365 * 86_400)
    private static let policy = RefreshPolicy.ofTests()

    mutating func take(_ step: Step) {
        history.append(step)
        now = now + Self.pause
        switch step {
        case .ownerRefreshes: owner = refresh(owner) ?? owner
        case .ownerLosesAnswer: _ = refresh(owner)
        case .ownerUses: use(owner)
        case .thiefRefreshes: thief = thief.map { refresh($0) ?? $0 }
        case .thiefUses: if let thief { use(thief) }
        case .crash: confirmedAt = nil
        }
    }

    /// An access token of this generation is sent to the API.
    private mutating func use(_ generation: Int64) {
        if generation == current, !hasEnded { confirmedAt = confirmedAt ?? now }
    }

    /// The generation of the answer; nil when the token is refused.
    private mutating func refresh(_ generation: Int64) -> Int64? {
        guard !hasEnded else { return nil }
        let presented = PresentedToken(
            sessionID: SessionID("s"), userID: UserID("u"), generation: generation, random: [],
            issuedAt: Self.end - .seconds(60), expiresAt: Self.end, hash: [UInt8(generation)])
        let decision = Rotation.decide(
            session, confirmedAt: confirmedAt, presented: presented, policy: Self.policy, now: now,
            random: { _, _ in [] }, equal: ==)
        switch decision {
        case .advance: (current, confirmedAt) = (current + 1, nil)
        case .repeatCurrent: break
        case .endForReuse: hasEnded = true
        case .refuse: refusals += 1
        }
        return decision == .advance || decision == .repeatCurrent ? current : nil
    }

    private var session: Session {
        Session(
            id: SessionID("s"), userID: UserID("u"), provider: .apple, clientID: "app", device: .unknown,
            createdAt: Timestamp(seconds: 0),
            token: SessionToken(
                generation: current, random: [], issuedAt: Timestamp(seconds: 0), expiresAt: Self.end,
                hash: [UInt8(current)]),
            previousHash: [UInt8(current - 1)])
    }
}
