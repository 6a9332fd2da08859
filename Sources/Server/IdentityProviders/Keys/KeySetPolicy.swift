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
