import AppleID
import Gatehouse
import JOSE
import TestSupport
import Testing

@Suite("Apple's keys in any order of events")
struct KeySetInterleavingTests {
    /// A run of the state by dice, with what has to hold after every step.
    private struct Run {
        let policy = KeySetPolicy(
            refreshInterval: .seconds(600), retryInterval: .seconds(40), staleLimit: .seconds(2000), mostWaiting: 2)
        let sets: [JWKSet?]
        var state: KeySetState
        var dice: SeededDice
        var now = Genuine.moment
        var fetchingSince: Timestamp?
        var waiting = 0
        var demands: [Timestamp] = []
        var set: (keys: JWKSet, since: Timestamp)?
        var broken: [String] = []

        init(seed: UInt64) {
            sets = [nil, JWKSet.of(), JWKSet.of(Genuine.key), JWKSet.of(Genuine.key, Genuine.secondKey)]
            state = KeySetState(policy: policy)
            dice = SeededDice(seed: seed)
            restore()
        }

        /// Some runs begin with what an earlier process has left.
        private mutating func restore() {
            let fetchedAt = now - .seconds(Int.random(in: -100...3000, using: &dice))
            guard let kept = sets.randomElement(using: &dice) ?? nil else { return }
            let isTaken = state.restore(kept, fetchedAt: fetchedAt, now: now)
            let isGood =
                !kept.isEmpty && now < fetchedAt + policy.staleLimit && fetchedAt <= now + .seconds(60)
            require(isTaken == isGood, "what is kept is taken where it is good")
            if isTaken { set = (kept, fetchedAt) }
        }

        mutating func step() {
            now =
                now
                + .milliseconds(
                    Int64.random(in: 0...(Int.random(in: 0..<8, using: &dice) == 0 ? 400_000 : 4000), using: &dice))
            switch Int.random(in: 0..<10, using: &dice) {
            case 0: schedule()
            case 1, 2: finish()
            default: ask()
            }
            require(state.isFetching == (fetchingSince != nil), "it knows whether somebody fetches")
        }

        private mutating func require(_ holds: Bool, _ rule: String) {
            if !holds { broken.append(rule) }
        }

        private mutating func schedule() {
            guard state.isDue(now: now) else { return }
            require(fetchingSince == nil, "one fetch at a time")
            fetchingSince = now
        }

        private mutating func finish() {
            guard fetchingSince != nil, let outcome = sets.randomElement(using: &dice) else { return }
            state.finished(outcome, now: now)
            (fetchingSince, waiting) = (nil, 0)
            if let outcome, !outcome.isEmpty { set = (outcome, now) }
        }

        private mutating func ask() {
            let name = ["KEY0000001", "KEY0000002", "KEY0000003"].randomElement(using: &dice) ?? ""
            let hasWaited = Int.random(in: 0..<5, using: &dice) == 0
            let believed = set.flatMap { now < $0.since + policy.staleLimit ? $0.keys : nil }
            let answer = state.ask(for: name, now: now, hasWaited: hasWaited)
            if believed?[name] != nil { return require(answer.keyID == name, "a good set answers for its keys") }
            switch answer {
            case .fetch: fetch(hasWaited)
            case .wait(let time): wait(hasWaited, atMost: time)
            case .unknown: require(believed != nil && fetchingSince == nil, "only the latest, good set can deny a key")
            case .unavailable: break
            case .key: require(false, "no set answers for keys it has not, nor beyond its time")
            }
        }

        private mutating func fetch(_ hasWaited: Bool) {
            require(fetchingSince == nil && !hasWaited, "one fetch at a time, and none for who has waited")
            if let last = demands.last {
                require(now >= last + policy.unknownKeyCooldown, "one fetch in a cooldown")
            }
            demands.append(now)
            fetchingSince = now
        }

        private mutating func wait(_ hasWaited: Bool, atMost time: Duration) {
            guard let since = fetchingSince, !hasWaited else {
                return require(false, "nobody waits for nothing, or twice")
            }
            guard time < policy.patience else {
                waiting += 1
                return require(waiting <= policy.mostWaiting, "no more wait to the end than may")
            }
            require(time > .zero && now + time <= since + policy.crowdPatience, "the others wait for a short while")
        }
    }

    @Test("no order of events breaks a rule", arguments: [UInt64](1...40) + [UInt64.random(in: .min ... .max)])
    func interleavings(seed: UInt64) {
        var run = Run(seed: seed)
        for step in 0..<1500 {
            run.step()
            guard run.broken.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(run.broken.joined(separator: "; "))")
                return
            }
        }
        #expect(run.demands.count > 5, "seed \(seed) tried something")
    }
}

extension KeySetState.Answer {
    fileprivate var keyID: String? {
        guard case .key(let key) = self else { return nil }
        return key.keyID
    }
}
