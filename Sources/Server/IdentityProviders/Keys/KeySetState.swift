package import Gatehouse
package import JOSE

/// When a provider's key set is fetched, how long requests wait for it, and which of its keys are used.
package struct KeySetPolicy: Sendable {
    /// Time from a successful fetch to the next one in the background.
    package var refreshInterval = Duration.seconds(3600)
    /// Time from a failed fetch to the next one while there is a usable set.
    package var retryInterval = Duration.seconds(60)
    /// Time from a failed fetch to the next one without a usable set. Until then every login with the provider fails.
    package var urgentRetryInterval = Duration.seconds(5)
    /// Tokens that name unknown keys cause at most one fetch in this time, whether it succeeds or fails.
    package var unknownKeyCooldown = Duration.seconds(30)
    /// A set that could not be renewed for this long is not used any more.
    package var staleLimit = Duration.seconds(48 * 3600)
    /// How many requests may wait until a fetch ends. Each of them occupies a worker thread.
    package var maximumWaiters: Int
    /// How long these requests wait. Longer than any fetch takes, so it only limits the wait if a fetch hangs.
    package var waitTimeout = Duration.seconds(6)
    /// Requests beyond `maximumWaiters` wait until the fetch has taken this long, and then get a 503.
    package var shortWaitTimeout = Duration.seconds(1)
    /// Keys for other algorithms are skipped.
    package var algorithms: Set<Algorithm>
    /// Whether keys without an id of their own are used.
    package var naming: JWKSet.Naming

    /// For Apple's key set.
    package init(maximumWaiters: Int = 4) {
        self.maximumWaiters = maximumWaiters
        algorithms = [.RS256]
        naming = .unique
    }

    /// For the key set of a provider. A fetch of an OpenID provider's may take two requests, one for its metadata.
    package init(for rules: TokenRules, maximumWaiters: Int = 4) {
        self.maximumWaiters = maximumWaiters
        algorithms = Set(rules.algorithms)
        naming = rules.demandsKeyID ? .unique : .any
        waitTimeout = .seconds(7)
    }
}

/// The known keys of a provider, and the rules for fetching them. It does no I/O: the caller passes in the time and the
/// results of fetches, and does what the returned `Lookup` says.
package struct KeySetState: Sendable {
    package enum Lookup: Sendable {
        /// At least one. Several, if the token names no key, or the provider has given one id to several keys.
        case keys([VerificationKey])
        /// The provider has no such key.
        case unknown
        /// Whether the provider has such a key cannot be determined now.
        case unavailable
        /// Fetch the set, call `finishFetch`, and look up the key again.
        case fetch
        /// Another thread is fetching (singleflight). Look up the key again when that fetch has finished or this time
        /// is over.
        case wait(atMost: Duration)
    }

    private struct Fetch {
        let startedAt: Timestamp
        var waiters = 0
    }

    /// Allowed difference between the clock of the process that saved a set and this process's clock.
    private static let clockLeeway = Duration.seconds(60)

    private let policy: KeySetPolicy
    private var keys: JWKSet?
    private var renewedAt: Timestamp?
    private var fetch: Fetch?
    private var lastFetchSucceeded: Bool?
    private var nextRenewal: Timestamp?
    /// When an unknown key last caused a fetch.
    private var lastDemand: Timestamp?

    package init(policy: KeySetPolicy) {
        self.policy = policy
    }

    package var isFetching: Bool { fetch != nil }

    /// Uses a set that an earlier process fetched. Returns false and changes nothing if the set is empty, too old, or
    /// from the future.
    package mutating func restore(_ saved: JWKSet, fetchedAt: Timestamp, now: Timestamp) -> Bool {
        guard !saved.isEmpty, isRecent(fetchedAt, now), fetchedAt <= now + Self.clockLeeway else { return false }
        keys = saved
        renewedAt = fetchedAt
        nextRenewal = fetchedAt + policy.refreshInterval
        return true
    }

    /// - Parameters:
    ///   - hasWaited: whether the caller has already fetched or waited, and so must not do it again.
    ///   - admitted: whether one more caller may fetch or wait. Called only if it would.
    package mutating func lookUp(
        _ reference: KeyReference, now: Timestamp, hasWaited: Bool, admitted: () -> Bool = { true }
    ) -> Lookup {
        if let keys = usableKeys(now)?.keys(for: reference), !keys.isEmpty { return .keys(keys) }
        if hasWaited { return missingKey(now) }
        if isFetching { return waiting(now, admitted: admitted) }
        if isCoolingDown(now) { return missingKey(now) }
        guard admitted() else { return .unavailable }
        lastDemand = now
        fetch = Fetch(startedAt: now)
        return .fetch
    }

    /// Whether the set is due for renewal. If so, the caller fetches it and calls `finishFetch`.
    package mutating func startRenewalIfDue(now: Timestamp) -> Bool {
        guard !isFetching, !isBeforeRenewal(now) else { return false }
        fetch = Fetch(startedAt: now)
        return true
    }

    /// Takes the result of a fetch, nil if it failed. A set without a usable key counts as a failure and is not used.
    package mutating func finishFetch(_ fetched: JWKSet?, now: Timestamp) {
        fetch = nil
        let isUsable = fetched.map { !$0.isEmpty } ?? false
        lastFetchSucceeded = isUsable
        if isUsable { (keys, renewedAt) = (fetched, now) }
        nextRenewal = now + interval(afterSuccess: isUsable, now)
    }

    /// Time since the usable set was fetched; nil if there is none.
    package func age(_ now: Timestamp) -> Duration? {
        guard usableKeys(now) != nil, let renewedAt else { return nil }
        return Self.elapsed(from: renewedAt, to: now)
    }

    package func status(_ now: Timestamp) -> KeySetStatus {
        KeySetStatus(
            usableKeys: usableKeys(now)?.count ?? 0, age: age(now), lastFetchSucceeded: lastFetchSucceeded)
    }

    private func interval(afterSuccess isUsable: Bool, _ now: Timestamp) -> Duration {
        if isUsable { return policy.refreshInterval }
        return usableKeys(now) == nil ? policy.urgentRetryInterval : policy.retryInterval
    }

    /// Limits the number of requests that wait until a fetch ends. Otherwise a slow key server and a client that sends
    /// made-up key ids could together occupy every worker thread.
    private mutating func waiting(_ now: Timestamp, admitted: () -> Bool) -> Lookup {
        guard let current = fetch, current.waiters >= policy.maximumWaiters else {
            guard admitted() else { return .unavailable }
            fetch?.waiters += 1
            return .wait(atMost: policy.waitTimeout)
        }
        let left = policy.shortWaitTimeout - Self.elapsed(from: current.startedAt, to: now)
        return left > .zero && admitted() ? .wait(atMost: left) : .unavailable
    }

    /// A demand further in the future than a cooldown was made before the clock was set back. Such a demand is ignored:
    /// otherwise no unknown key would cause a fetch until the clock reaches the time of the demand.
    private func isCoolingDown(_ now: Timestamp) -> Bool {
        guard let lastDemand else { return false }
        return now < lastDemand + policy.unknownKeyCooldown && lastDemand < now + policy.unknownKeyCooldown
    }

    /// A renewal further in the future than any interval was scheduled before the clock was set
    /// back, and is due at once.
    private func isBeforeRenewal(_ now: Timestamp) -> Bool {
        guard let nextRenewal else { return false }
        return now < nextRenewal && nextRenewal <= now + max(policy.refreshInterval, policy.retryInterval)
    }

    /// The result for a key that is not in the set: `unknown` only if the set is known to be up to date.
    private func missingKey(_ now: Timestamp) -> Lookup {
        usableKeys(now) == nil || lastFetchSucceeded == false || isFetching ? .unavailable : .unknown
    }

    private func usableKeys(_ now: Timestamp) -> JWKSet? {
        guard let renewedAt, isRecent(renewedAt, now) else { return nil }
        return keys
    }

    /// False also for a time far in the future: if the clock was set back that far, the age of the set is not known.
    private func isRecent(_ fetchedAt: Timestamp, _ now: Timestamp) -> Bool {
        now < fetchedAt + policy.staleLimit && fetchedAt < now + policy.staleLimit
    }

    /// Zero if the clock was set back in between.
    private static func elapsed(from start: Timestamp, to end: Timestamp) -> Duration {
        max(.zero, .milliseconds(end.milliseconds - start.milliseconds))
    }
}

extension JWKSet {
    /// The keys that may have signed a token; none if there is no such key.
    package func keys(for reference: KeyReference) -> [VerificationKey] {
        guard let keyID = reference.keyID else { return keys(for: reference.algorithm) }
        return keys(withID: keyID)
    }
}

/// The state of a provider's key set, for metrics.
package struct KeySetStatus: Sendable, Equatable {
    /// The number of keys that can verify identity tokens now.
    package let usableKeys: Int
    /// Time since these keys were fetched; nil if there are none.
    package let age: Duration?
    /// Nil if nothing has been fetched since the start.
    package let lastFetchSucceeded: Bool?
}
