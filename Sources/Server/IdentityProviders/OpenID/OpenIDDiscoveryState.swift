import POSIX

/// The metadata of an issuer, and the rules for fetching them. It does no I/O: the caller passes in the time and the results
/// of fetches, and does what the returned `Step` says.
///
/// They are fetched when a browser's login needs them, and not before.
struct OpenIDDiscoveryState {
    enum Step: Equatable {
        case use(OpenIDEndpoints)
        /// Fetch them, call `finish`, and ask again.
        case fetch
        /// Another thread is fetching. Ask again when it has finished.
        case wait
        case unavailable
    }

    /// Time from a successful fetch to the next one.
    static let lifetime = Duration.seconds(3600)
    /// Metadata that could not be fetched again for this long are not used any more.
    static let staleLimit = Duration.seconds(48 * 3600)
    /// Time from a failed fetch to the next one, with usable metadata and without.
    static let retryInterval = Duration.seconds(60)
    static let urgentRetryInterval = Duration.seconds(5)

    private var known: (endpoints: OpenIDEndpoints, fetchedAt: MonotonicTime)?
    private var nextTry: MonotonicTime?
    private(set) var isFetching = false

    /// - Parameter hasWaited: whether the caller has already fetched or waited, and so must not do it again.
    mutating func next(_ now: MonotonicTime, hasWaited: Bool) -> Step {
        if let known, now < known.fetchedAt + Self.lifetime { return .use(known.endpoints) }
        let stale = usable(now).map(Step.use)
        if hasWaited { return stale ?? .unavailable }
        // While one request fetches, the others take what is there.
        if isFetching { return stale ?? .wait }
        if let nextTry, now < nextTry { return stale ?? .unavailable }
        isFetching = true
        return .fetch
    }

    /// Takes the result of a fetch, nil if it failed.
    mutating func finish(_ endpoints: OpenIDEndpoints?, _ now: MonotonicTime) {
        isFetching = false
        if let endpoints {
            (known, nextTry) = ((endpoints, now), nil)
        } else {
            nextTry = now + (usable(now) == nil ? Self.urgentRetryInterval : Self.retryInterval)
        }
    }

    /// After a fetch that was not made.
    mutating func cancel() { isFetching = false }

    /// What is known, if it is not too old.
    func usable(_ now: MonotonicTime) -> OpenIDEndpoints? {
        known.flatMap { now < $0.fetchedAt + Self.staleLimit ? $0.endpoints : nil }
    }
}
