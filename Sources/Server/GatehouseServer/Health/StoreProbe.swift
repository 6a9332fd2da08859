import Gatehouse
import GatehouseStore

/// Decides when the store is probed, and keeps the last result. It does no I/O itself: the caller probes and reports
/// the result. At any time one thread probes, whatever the number of callers, and a result is reused for a few seconds.
struct StoreProbe {
    enum Step {
        /// The caller probes, and reports the result with `finished`.
        case run
        /// The result of the last probe.
        case known(StoreFailure?)
        /// Another thread has been probing for this time.
        case overdue(Duration)
    }

    /// The time for which a result is reused.
    private let freshness: Duration
    /// A probe that takes longer means that the store does not answer.
    private let timeLimit: Duration

    private var startedAt: ContinuousClock.Instant?
    private var outcome: WriteOutcome?

    init(freshness: Duration, timeLimit: Duration = .seconds(3)) {
        self.freshness = freshness
        self.timeLimit = timeLimit
    }

    mutating func next(now: ContinuousClock.Instant) -> Step {
        if let startedAt {
            let time = startedAt.duration(to: now)
            if time < timeLimit, let outcome { return .known(outcome.failure) }
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

    /// Uses the result of other work on the store in place of a probe, if it is newer.
    mutating func update(_ newer: WriteOutcome?) {
        guard let newer, outcome.map({ $0.moment < newer.moment }) ?? true else { return }
        outcome = newer
    }
}
