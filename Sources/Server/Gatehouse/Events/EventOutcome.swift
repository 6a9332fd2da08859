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
