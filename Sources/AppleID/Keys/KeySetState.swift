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
        /// Somebody fetches: ask again when they have finished, or when the time is up.
        case wait(atMost: Duration)
    }

    private struct Fetch {
        let since: Timestamp
        var waiting = 0
    }

    /// Two processes' clocks, or one clock before and after it was set, may differ by this much.
    private static let clockLeeway = Duration.seconds(60)

    private let policy: KeySetPolicy
    private var keys: JWKSet?
    private var renewedAt: Timestamp?
    private var fetch: Fetch?
    private var lastFetchFailed = false
    private var hasFetched = false
    private var scheduledAt: Timestamp?
    private var demandedAt: Timestamp?

    package init(policy: KeySetPolicy) {
        self.policy = policy
    }

    package var isFetching: Bool { fetch != nil }

    /// Takes over what an earlier process fetched. False, and nothing done, where it is too old to be believed, of the
    /// future, or empty.
    package mutating func restore(_ kept: JWKSet, fetchedAt: Timestamp, now: Timestamp) -> Bool {
        guard !kept.isEmpty, isBelieved(since: fetchedAt, now), fetchedAt <= now + Self.clockLeeway else {
            return false
        }
        keys = kept
        renewedAt = fetchedAt
        scheduledAt = fetchedAt + policy.refreshInterval
        return true
    }

    /// - Parameter hasWaited: the asker has been told to fetch or wait before, and takes what there is now.
    package mutating func ask(for keyID: String, now: Timestamp, hasWaited: Bool) -> Answer {
        if let key = usableKeys(now)?[keyID] { return .key(key) }
        if hasWaited { return settled(now) }
        if isFetching { return waiting(now) }
        if isCoolingDown(now) { return settled(now) }
        demandedAt = now
        fetch = Fetch(since: now)
        return .fetch
    }

    /// Whether the set is due for renewal; the asker then fetches and reports.
    package mutating func isDue(now: Timestamp) -> Bool {
        guard !isFetching, !isEarly(now) else { return false }
        fetch = Fetch(since: now)
        return true
    }

    /// Takes the outcome of a fetch. A set with no usable key in it counts as a failure and replaces nothing.
    package mutating func finished(_ fetched: JWKSet?, now: Timestamp) {
        fetch = nil
        let isUsable = fetched.map { !$0.isEmpty } ?? false
        lastFetchFailed = !isUsable
        hasFetched = true
        if isUsable { (keys, renewedAt) = (fetched, now) }
        scheduledAt = now + interval(afterSuccess: isUsable, now)
    }

    /// For how long the set that serves has not been renewed; nil where none does.
    package func age(_ now: Timestamp) -> Duration? {
        guard usableKeys(now) != nil, let renewedAt else { return nil }
        return Self.span(from: renewedAt, to: now)
    }

    package func vitals(_ now: Timestamp) -> KeySetVitals {
        KeySetVitals(
            usableKeys: usableKeys(now)?.count ?? 0, age: age(now),
            lastFetchSucceeded: hasFetched ? !lastFetchFailed : nil)
    }

    private func interval(afterSuccess isUsable: Bool, _ now: Timestamp) -> Duration {
        if isUsable { return policy.refreshInterval }
        return usableKeys(now) == nil ? policy.urgentRetryInterval : policy.retryInterval
    }

    /// A few wait for as long as it takes. Were it all of them, a slow server of Apple's and a stranger with made-up key
    /// ids would hold every thread there is.
    private mutating func waiting(_ now: Timestamp) -> Answer {
        guard let current = fetch, current.waiting >= policy.mostWaiting else {
            fetch?.waiting += 1
            return .wait(atMost: policy.patience)
        }
        let left = policy.crowdPatience - Self.span(from: current.since, to: now)
        return left > .zero ? .wait(atMost: left) : .unavailable
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

    /// The answer for a key that is not in the set. Who has waited in vain for a newer one cannot be told that there is
    /// no such key.
    private func settled(_ now: Timestamp) -> Answer {
        usableKeys(now) == nil || lastFetchFailed || isFetching ? .unavailable : .unknown
    }

    private func usableKeys(_ now: Timestamp) -> JWKSet? {
        guard let renewedAt, isBelieved(since: renewedAt, now) else { return nil }
        return keys
    }

    /// With the clock set back by longer than that, nobody knows how old a set is.
    private func isBelieved(since fetched: Timestamp, _ now: Timestamp) -> Bool {
        now < fetched + policy.staleLimit && fetched < now + policy.staleLimit
    }

    /// None where the clock was set back in between.
    private static func span(from start: Timestamp, to end: Timestamp) -> Duration {
        max(.zero, .milliseconds(end.milliseconds - start.milliseconds))
    }
}
