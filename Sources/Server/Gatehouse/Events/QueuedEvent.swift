/// An event that a receiver has not been told yet, or that it has refused for too long (a dead letter).
package struct QueuedEvent: Sendable, Equatable {
    /// Assigned by the store. A receiver gets the events of a user in the order of these numbers.
    package let number: Int64
    /// The same at every receiver and at every attempt: a receiver ignores an id that it has had before.
    package let id: String
    package let receiver: String
    package let event: UserEvent
    /// How often it was sent.
    package let attempts: Int64
    /// When it is sent again; nil for at once.
    package let dueAt: Timestamp?
    /// When it is given up if it still fails; nil before the first failure.
    package let expiresAt: Timestamp?
    /// When it was given up; nil while it waits.
    package let deadAt: Timestamp?
    /// Why the last attempt failed.
    package let fault: String?

    package init(
        number: Int64, id: String, receiver: String, event: UserEvent, attempts: Int64 = 0, dueAt: Timestamp? = nil,
        expiresAt: Timestamp? = nil, deadAt: Timestamp? = nil, fault: String? = nil
    ) {
        self.number = number
        self.id = id
        self.receiver = receiver
        self.event = event
        self.attempts = attempts
        self.dueAt = dueAt
        self.expiresAt = expiresAt
        self.deadAt = deadAt
        self.fault = fault
    }

    /// How long an event is sent again after its first failure. The sending node's clock counts, because the clock of the node
    /// that wrote the event may have been wrong.
    package static let patience = Duration.seconds(3 * 86_400)
}
