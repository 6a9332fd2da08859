package import Gatehouse
package import JOSE

/// What is known of Apple's keys, and what to do about a key that is wanted. Decides and does nothing: it is told the
/// time and the outcome of fetches, and its answers say what to do next.
package struct KeySetState: Sendable {
    package enum Answer: Sendable {
        case key(VerificationKey)
        /// Apple has no such key.
        case unknown
        /// Whether Apple has such a key cannot be known right now.
        case unavailable
        /// Fetch the set, report with `finished`, and ask again.
        case fetch
        /// Somebody fetches: ask again when they have finished.
        case wait
    }

    private let policy: KeySetPolicy
    private var keys: JWKSet?
    private var renewedAt: Timestamp?
    private var lastFetchFailed = false
    package private(set) var isFetching = false
    private var scheduledAt: Timestamp?
    private var demandedAt: Timestamp?
    private var waiting = 0

    package init(policy: KeySetPolicy) {
        self.policy = policy
    }

    /// - Parameter hasWaited: the asker has been told to fetch or wait before, and takes what there is now.
    package mutating func ask(for keyID: String, now: Timestamp, hasWaited: Bool) -> Answer {
        if let key = usableKeys(now)?[keyID] { return .key(key) }
        if hasWaited { return settled(now) }
        if isFetching {
            guard waiting < policy.mostWaiting else { return .unavailable }
            waiting += 1
            return .wait
        }
        if isCoolingDown(now) { return settled(now) }
        demandedAt = now
        isFetching = true
        return .fetch
    }

    /// Whether the set is due for renewal; the asker then fetches and reports.
    package mutating func isDue(now: Timestamp) -> Bool {
        guard !isFetching, !isEarly(now) else { return false }
        isFetching = true
        return true
    }

    /// Takes the outcome of a fetch. A set with no usable key in it counts as a failure and replaces nothing.
    package mutating func finished(_ fetched: JWKSet?, now: Timestamp) {
        isFetching = false
        waiting = 0
        let isUsable = fetched.map { !$0.isEmpty } ?? false
        lastFetchFailed = !isUsable
        scheduledAt = now + (isUsable ? policy.refreshInterval : policy.retryInterval)
        guard isUsable else { return }
        keys = fetched
        renewedAt = now
    }

    /// A demand that lies further ahead than a cooldown was made before the clock was set back, and counts no more:
    /// otherwise no new key would be found until the clock has caught up.
    private func isCoolingDown(_ now: Timestamp) -> Bool {
        guard let demandedAt else { return false }
        return now < demandedAt + policy.unknownKeyCooldown && demandedAt < now + policy.unknownKeyCooldown
    }

    /// Before the next renewal; with the clock set back, a renewal further ahead than any would be is due at once.
    private func isEarly(_ now: Timestamp) -> Bool {
        guard let scheduledAt else { return false }
        return now < scheduledAt && scheduledAt <= now + max(policy.refreshInterval, policy.retryInterval)
    }

    /// The answer for a key that is not in the set.
    private func settled(_ now: Timestamp) -> Answer {
        usableKeys(now) == nil || lastFetchFailed ? .unavailable : .unknown
    }

    private func usableKeys(_ now: Timestamp) -> JWKSet? {
        guard let renewedAt, now < renewedAt + policy.staleLimit else { return nil }
        return keys
    }
}
