import Gatehouse

/// When a store is to be tried, and what is known of it meanwhile. Decides and does nothing: it is told the time and what
/// came of each try. However many ask, one at a time tries, and no more often than every few seconds.
struct Probe {
    enum Step {
        /// Try it, and report with `finished`.
        case run
        /// As it was when it was last tried.
        case known(StoreFailure?)
        /// Somebody tries, and has not come back for this long.
        case overdue(Duration)
    }

    /// For how long an outcome is believed.
    private let freshness: Duration
    /// How long a try may take before that says something by itself.
    private let patience: Duration

    private var startedAt: ContinuousClock.Instant?
    private var outcome: WriteOutcome?

    init(freshness: Duration, patience: Duration = .seconds(3)) {
        self.freshness = freshness
        self.patience = patience
    }

    mutating func ask(now: ContinuousClock.Instant) -> Step {
        if let startedAt {
            let time = startedAt.duration(to: now)
            if time < patience, let outcome { return .known(outcome.failure) }
            return .overdue(time)
        }
        if let outcome, outcome.moment.duration(to: now) < freshness { return .known(outcome.failure) }
        startedAt = now
        return .run
    }

    mutating func finished(_ failure: StoreFailure?, now: ContinuousClock.Instant) {
        startedAt = nil
        outcome = WriteOutcome(failure: failure, at: now)
    }

    /// Takes over what somebody else's work came to: no need to try what has just been done.
    mutating func learn(_ news: WriteOutcome?) {
        guard let news, outcome.map({ $0.moment < news.moment }) ?? true else { return }
        outcome = news
    }
}
