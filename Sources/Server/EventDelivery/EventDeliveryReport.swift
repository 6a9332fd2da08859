package import Gatehouse

/// What happens while events are sent, for the log and for metrics.
package enum EventDeliveryReport: Sendable {
    case sent(receiver: String, EventOutcome)
    /// The receiver wants no more events.
    case stopped(receiver: String)
    case gaveUp(receiver: String, count: Int, fault: String)
    case storeFailed(Refusal)
}
