/// How Apple's keys are kept.
package struct KeySetPolicy: Sendable {
    /// A set is fetched anew this long after the last success, before anybody needs it.
    package var refreshInterval: Duration
    /// After a fetch that failed, while a set goes on serving.
    package var retryInterval: Duration
    /// The same while there is none, and nobody can sign in.
    package var urgentRetryInterval: Duration
    /// Tokens that name unknown keys cause no more than one fetch in this time, whether it succeeds or not.
    package var unknownKeyCooldown: Duration
    /// A set that could not be renewed for this long is no longer believed.
    package var staleLimit: Duration
    /// How many requests may wait for a fetch to its end. They wait on threads that honest requests need too.
    package var mostWaiting: Int
    /// For how long they do. Longer than any fetch takes: who waits holds a thread, whatever has become of the fetch.
    package var patience: Duration
    /// All others wait until a fetch has lasted this long, as hardly any does, and are then told to come back.
    package var crowdPatience: Duration

    package init(
        refreshInterval: Duration = .seconds(3600), retryInterval: Duration = .seconds(60),
        urgentRetryInterval: Duration = .seconds(5), unknownKeyCooldown: Duration = .seconds(30),
        staleLimit: Duration = .seconds(48 * 3600), mostWaiting: Int = 4, patience: Duration = .seconds(6),
        crowdPatience: Duration = .seconds(1)
    ) {
        self.refreshInterval = refreshInterval
        self.retryInterval = retryInterval
        self.urgentRetryInterval = urgentRetryInterval
        self.unknownKeyCooldown = unknownKeyCooldown
        self.staleLimit = staleLimit
        self.mostWaiting = mostWaiting
        self.patience = patience
        self.crowdPatience = crowdPatience
    }
}
