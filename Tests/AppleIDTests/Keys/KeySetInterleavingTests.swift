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
            refreshInterval: .seconds(600), retryInterval: .seconds(40), staleLimit: .seconds(2000))
        let sets: [JWKSet?]
        var state: KeySetState
        var dice: SeededDice
        var now = Genuine.moment
        var isFetching = false
        var waiting = 0
        var demands: [Timestamp] = []
        var set: (keys: JWKSet, since: Timestamp)?
        var broken: [String] = []

        init(seed: UInt64) {
            sets = [nil, JWKSet.of(), JWKSet.of(Genuine.key), JWKSet.of(Genuine.key, Genuine.secondKey)]
            state = KeySetState(policy: policy)
            dice = SeededDice(seed: seed)
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
            require(state.isFetching == isFetching, "it knows whether somebody fetches")
        }

        private mutating func require(_ holds: Bool, _ rule: String) {
            if !holds { broken.append(rule) }
        }

        private mutating func schedule() {
            guard state.isDue(now: now) else { return }
            require(!isFetching, "one fetch at a time")
            isFetching = true
        }

        private mutating func finish() {
            guard isFetching, let outcome = sets.randomElement(using: &dice) else { return }
            state.finished(outcome, now: now)
            (isFetching, waiting) = (false, 0)
            if let outcome, !outcome.isEmpty { set = (outcome, now) }
        }

        private mutating func ask() {
            let name = ["KEY0000001", "KEY0000002", "KEY0000003"].randomElement(using: &dice) ?? ""
            let hasWaited = Int.random(in: 0..<5, using: &dice) == 0
            let believed = set.flatMap { now < $0.since + policy.staleLimit ? $0.keys : nil }
            let answer = state.word(for: name, at: now, hasWaited: hasWaited)
            if believed?[name] != nil { return require(answer == name, "a good set answers for its keys") }
            switch answer {
            case "fetch": fetch(hasWaited)
            case "wait": wait(hasWaited)
            case "unknown": require(believed != nil, "only a good set can deny a key")
            default: require(answer == "unavailable", "no set answers for keys it has not, nor beyond its time")
            }
        }

        private mutating func fetch(_ hasWaited: Bool) {
            require(!isFetching && !hasWaited, "one fetch at a time, and none for who has waited")
            if let last = demands.last {
                require(now >= last + policy.unknownKeyCooldown, "one fetch in a cooldown")
            }
            demands.append(now)
            isFetching = true
        }

        private mutating func wait(_ hasWaited: Bool) {
            waiting += 1
            require(isFetching && !hasWaited, "nobody waits for nothing, or twice")
            require(waiting <= policy.mostWaiting, "no more wait than may")
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
