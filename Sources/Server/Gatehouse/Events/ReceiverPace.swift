/// How fast a receiver gets events, decided by its answers.
///
///     accepted             the next one at once
///     busy, unreachable    a circuit breaker opens: nothing for a pause, which doubles up to 5 minutes; then one event
///                          is the probe, but not the event that failed: the receiver may hang at that event alone
///     refused              this event again after a while, which doubles up to 4 hours, and with it the later ones of its
///                          user; ten refusals in a row count as a failure of the receiver, too
///     gone                 nothing, until an operator resumes the receiver
///
/// An event that has failed for three days is given up. A node whose clock may be wrong gives up none.
package struct ReceiverPace: Sendable, Equatable {
    /// How many events may be on their way to a healthy receiver at the same time, each of another user.
    package static let concurrency = 4
    package static let longestPause = Duration.seconds(300)
    package static let longestDelay = Duration.seconds(4 * 3600)
    /// Short: the receiver may answer again at any time.
    package static let longestDelayWithoutAnswer = Duration.seconds(60)
    /// Longer times of Retry-After are cut.
    package static let longestRetryAfter = Duration.seconds(86_400)
    /// So many refusals in a row are a failure of the receiver.
    package static let toleratedRefusals = 10

    /// Failures of the receiver since it last took an event.
    package private(set) var failures = 0
    private var refusals = 0
    /// Uptime; nil if nothing is sent later than it could be.
    package private(set) var pausedUntil: Duration?
    /// The end of the pause that the receiver has asked for.
    private var namedUntil: Duration?

    package init() {}

    /// How many events may be on their way now.
    package var permitted: Int { failures == 0 ? Self.concurrency : 1 }

    package func isPaused(at uptime: Duration) -> Bool { pausedUntil.map { uptime < $0 } ?? false }

    /// - Parameters:
    ///   - moment: the time; nil if the clock may be wrong.
    ///   - chance: from 0 to 1, random, so that receivers and nodes do not try at the same moments.
    package mutating func record(
        _ outcome: EventOutcome, of event: QueuedEvent, at now: Timestamp, uptime: Duration, isClockTrusted: Bool,
        chance: Double
    ) -> EventStep {
        let isExpired = isClockTrusted && event.expiresAt.map { $0 <= now } ?? false
        switch outcome {
        case .accepted:
            // A time that the receiver has named also holds if it takes an event that was under way.
            let named = namedUntil.flatMap { uptime < $0 ? $0 : nil }
            self = ReceiverPace()
            (pausedUntil, namedUntil) = (named, named)
            return .finish
        case .gone:
            return .stop(fault: "the receiver answers status 410: it wants no more events")
        case .busy(_, let fault), .unreachable(let fault):
            pause(for: outcome.retryAfter, uptime: uptime, chance: chance)
            if isExpired { return .giveUpExpired(fault: fault) }
            return .postpone(until: now + delayAfterNoAnswer(event, uptime: uptime, chance: chance), fault: fault)
        case .refused(let fault):
            refusals += 1
            if refusals >= Self.toleratedRefusals { pause(uptime: uptime, chance: chance) }
            if isExpired { return .giveUp(fault: fault) }
            return .postpone(until: now + Self.delay(after: event.attempts + 1, chance: chance), fault: fault)
        }
    }

    /// An event that was under way when a pause began says nothing new, but may name a longer time.
    private mutating func pause(for time: Duration? = nil, uptime: Duration, chance: Double) {
        if !isPaused(at: uptime) {
            failures += 1
            pausedUntil = uptime + Self.doubled(.seconds(1), failures - 1, atMost: Self.longestPause, chance: chance)
        }
        guard let time = time.map({ min($0, Self.longestRetryAfter) }) else { return }
        namedUntil = max(namedUntil ?? .zero, uptime + time)
        pausedUntil = max(pausedUntil ?? .zero, uptime + time)
    }

    /// When an event without an answer is sent again: after the pause, and behind any other event that is due then. A
    /// receiver that hangs at one event alone still gets the events of other users.
    private func delayAfterNoAnswer(_ event: QueuedEvent, uptime: Duration, chance: Double) -> Duration {
        let attempts = Int(min(max(0, event.attempts), 32))
        let own = Self.doubled(.seconds(1), attempts, atMost: Self.longestDelayWithoutAnswer, chance: chance)
        return max(own, (pausedUntil ?? uptime) - uptime + .seconds(1))
    }

    /// The time until an event is sent again that was refused so many times.
    package static func delay(after attempts: Int64, chance: Double) -> Duration {
        doubled(.seconds(5), Int(min(max(1, attempts), 32)) - 1, atMost: longestDelay, chance: chance)
    }

    /// Between half of the time and all of it.
    private static func doubled(_ first: Duration, _ count: Int, atMost most: Duration, chance: Double) -> Duration {
        let time = min(most, first * (1 << min(count, 16)))
        return time * (0.5 + chance / 2)
    }
}

/// What came of sending an event.
package enum EventOutcome: Sendable, Equatable {
    /// The receiver has taken it.
    case accepted
    /// The receiver wants no more events (410).
    case gone
    /// The receiver takes none at the moment (429 or 503), for a time that it may have named.
    case busy(retryAfter: Duration?, fault: String)
    /// No answer: the receiver cannot be reached, is not the one that its certificate should name, or hangs.
    case unreachable(String)
    /// The receiver does not take this event: any other answer.
    case refused(String)

    /// The time that the receiver has named; nil for none.
    var retryAfter: Duration? { if case .busy(let time, _) = self { time } else { nil } }

    /// A word for metrics.
    package var label: String {
        switch self {
        case .accepted: "accepted"
        case .gone: "gone"
        case .busy: "busy"
        case .unreachable: "unreachable"
        case .refused: "refused"
        }
    }

    package static let labels = ["accepted", "busy", "gone", "refused", "unreachable"]
}

/// What is done with an event that was sent.
package enum EventStep: Sendable, Equatable {
    case finish
    /// The event stays, and nothing more is sent to the receiver.
    case stop(fault: String)
    case postpone(until: Timestamp, fault: String)
    /// It becomes a dead letter.
    case giveUp(fault: String)
    /// It becomes a dead letter, with all others of the receiver that have expired: none of them can be sent now.
    case giveUpExpired(fault: String)
}

/// A receiver as the outbox knows it.
package struct EventSubscription: Sendable, Equatable {
    package let name: String
    /// Nil for all types, also those of later versions.
    package let types: Set<EventType>?

    package init(name: String, types: Set<EventType>?) {
        (self.name, self.types) = (name, types)
    }
}

/// The outbox of one receiver.
package struct ReceiverState: Sendable, Equatable {
    package let subscription: EventSubscription
    /// When a node last had the receiver in its settings.
    package let seenAt: Timestamp
    /// When the receiver has answered that it wants no more events; nil while it gets them.
    package let stoppedAt: Timestamp?
    package let waiting: Int
    /// When the oldest event that waits happened.
    package let oldest: Timestamp?
    package let dead: Int

    package init(
        subscription: EventSubscription, seenAt: Timestamp, stoppedAt: Timestamp?, waiting: Int, oldest: Timestamp?,
        dead: Int
    ) {
        self.subscription = subscription
        self.seenAt = seenAt
        self.stoppedAt = stoppedAt
        self.waiting = waiting
        self.oldest = oldest
        self.dead = dead
    }

    package var name: String { subscription.name }
}
