/// How Apple's keys are kept.
package struct KeySetPolicy: Sendable {
    /// A set is fetched anew this long after the last success, before anybody needs it.
    package var refreshInterval: Duration
    /// After a scheduled fetch that failed.
    package var retryInterval: Duration
    /// Tokens that name unknown keys cause no more than one fetch in this time, whether it succeeds or not.
    package var unknownKeyCooldown: Duration
    /// A set that could not be renewed for this long is no longer believed.
    package var staleLimit: Duration
    /// How many requests may wait for a fetch at once; the others are told to come back. They wait on threads that
    /// honest requests need too.
    package var mostWaiting: Int

    package init(
        refreshInterval: Duration = .seconds(3600), retryInterval: Duration = .seconds(60),
        unknownKeyCooldown: Duration = .seconds(30), staleLimit: Duration = .seconds(48 * 3600), mostWaiting: Int = 4
    ) {
        self.refreshInterval = refreshInterval
        self.retryInterval = retryInterval
        self.unknownKeyCooldown = unknownKeyCooldown
        self.staleLimit = staleLimit
        self.mostWaiting = mostWaiting
    }
}
