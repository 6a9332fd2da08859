/// A receiver as the outbox knows it.
package struct EventSubscription: Sendable, Equatable {
    package let name: String
    /// Nil for all types, also those of later versions.
    package let types: Set<EventType>?

    package init(name: String, types: Set<EventType>?) {
        self.name = name
        self.types = types
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
