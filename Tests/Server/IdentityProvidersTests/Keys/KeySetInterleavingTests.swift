import Gatehouse
import IdentityProviders
import JOSE
import TestSupport
import Testing

@Suite("Apple's keys under random sequences of events")
struct KeySetInterleavingTests {
    /// A randomised simulation of lookups and fetches, repeatable by its seed.
    ///
    /// Each `step` moves the clock and does one thing: a caller looks up a key, the fetch in progress ends with some set or
    /// with none, or maintenance starts a renewal. Beside `KeySetState` the run keeps what it can know by itself (`set`,
    /// `fetchStartedAt`, `waiters`, `demands`), and adds each answer that contradicts a rule to `violations`. Example: a
    /// key that is in no usable set may cause a fetch, but not while one is in progress, nor within the cooldown.
    private struct Run {
        let policy: KeySetPolicy
        let sets: [JWKSet?]
        var state: KeySetState
        var random: SeededGenerator
        var now = ValidLogin.now
        var fetchStartedAt: Timestamp?
        var waiters = 0
        /// When lookups of unknown keys caused a fetch.
        var demands: [Timestamp] = []
        var set: (keys: JWKSet, since: Timestamp)?
        var violations: [String] = []

        init(seed: UInt64) {
            sets = [nil, JWKSet.of(), JWKSet.of(ValidLogin.key), JWKSet.of(ValidLogin.key, ValidLogin.secondKey)]
            var policy = KeySetPolicy(maximumWaiters: 2)
            policy.refreshInterval = .seconds(600)
            policy.retryInterval = .seconds(40)
            policy.staleLimit = .seconds(2000)
            self.policy = policy
            state = KeySetState(policy: policy)
            random = SeededGenerator(seed: seed)
            restore()
        }

        /// Some runs start with a saved set.
        private mutating func restore() {
            let fetchedAt = now - .seconds(Int.random(in: -100...3000, using: &random))
            guard let saved = sets.randomElement(using: &random) ?? nil else { return }
            let isUsed = state.restore(saved, fetchedAt: fetchedAt, now: now)
            let isValid =
                !saved.isEmpty && now < fetchedAt + policy.staleLimit && fetchedAt <= now + .seconds(60)
            require(isUsed == isValid, "a saved set is used if it is valid")
            if isUsed { set = (saved, fetchedAt) }
        }

        mutating func step() {
            now =
                now
                + .milliseconds(
                    Int64.random(in: 0...(Int.random(in: 0..<8, using: &random) == 0 ? 400_000 : 4000), using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0: renew()
            case 1, 2: finish()
            default: lookUp()
            }
            require(state.isFetching == (fetchStartedAt != nil), "the state knows whether a fetch is in progress")
        }

        private mutating func require(_ holds: Bool, _ rule: String) {
            if !holds { violations.append(rule) }
        }

        private mutating func renew() {
            guard state.startRenewalIfDue(now: now) else { return }
            require(fetchStartedAt == nil, "one fetch at a time")
            fetchStartedAt = now
        }

        private mutating func finish() {
            guard fetchStartedAt != nil, let outcome = sets.randomElement(using: &random) else { return }
            state.finishFetch(outcome, now: now)
            (fetchStartedAt, waiters) = (nil, 0)
            if let outcome, !outcome.isEmpty { set = (outcome, now) }
        }

        private mutating func lookUp() {
            let name = ["KEY0000001", "KEY0000002", "KEY0000003"].randomElement(using: &random) ?? ""
            let hasWaited = Int.random(in: 0..<5, using: &random) == 0
            let usable = set.flatMap { now < $0.since + policy.staleLimit ? $0.keys : nil }
            let reference = KeyReference(keyID: name, algorithm: .RS256)
            let lookup = state.lookUp(reference, now: now, hasWaited: hasWaited)
            if usable?[name] != nil { return require(lookup.keyID == name, "a key of a usable set is found") }
            switch lookup {
            case .fetch: fetch(hasWaited)
            case .wait(let time): wait(hasWaited, atMost: time)
            case .unknown:
                require(usable != nil && fetchStartedAt == nil, "a key is unknown only if the latest set is usable")
            case .unavailable: break
            case .keys: require(false, "no key is found that is not in a usable set")
            }
        }

        private mutating func fetch(_ hasWaited: Bool) {
            require(fetchStartedAt == nil && !hasWaited, "one fetch at a time, and none for a caller that has waited")
            if let last = demands.last {
                require(now >= last + policy.unknownKeyCooldown, "one fetch in a cooldown")
            }
            demands.append(now)
            fetchStartedAt = now
        }

        private mutating func wait(_ hasWaited: Bool, atMost time: Duration) {
            guard let since = fetchStartedAt, !hasWaited else {
                return require(false, "a caller waits only for a fetch in progress, and only once")
            }
            guard time < policy.waitTimeout else {
                waiters += 1
                return require(waiters <= policy.maximumWaiters, "only the permitted number waits until the fetch ends")
            }
            require(
                time > .zero && now + time <= since + policy.shortWaitTimeout, "all others wait for the short timeout")
        }
    }

    @Test("every sequence of events keeps the rules", arguments: [UInt64](1...40) + [UInt64.random(in: .min ... .max)])
    func interleavings(seed: UInt64) {
        var run = Run(seed: seed)
        for step in 0..<1500 {
            run.step()
            guard run.violations.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(run.violations.joined(separator: "; "))")
                return
            }
        }
        #expect(run.demands.count > 5, "seed \(seed) caused fetches")
    }
}

extension KeySetState.Lookup {
    fileprivate var keyID: String? {
        guard case .keys(let keys) = self else { return nil }
        return keys.first?.keyID
    }
}
