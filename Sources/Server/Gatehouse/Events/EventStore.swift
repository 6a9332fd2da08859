/// The outbox: the events that receivers have not been told yet. Each write that changes a user adds them in its transaction, one
/// for each receiver that is registered for the type.
package protocol EventStore: Sendable {
    /// Registers the receivers of this node's settings. From the next write on, their events are queued. In a store that no other
    /// node uses, the other receivers are removed with their events.
    func register(_ receivers: [EventSubscription], now: Timestamp) throws(Refusal)

    /// Makes this node the one that sends to a receiver, or prolongs that. False while it is another node.
    ///
    /// - Parameter time: how long; counted by the clock of the database.
    func hold(_ receiver: String, by node: String, for time: Duration) throws(Refusal) -> Bool

    /// Lets another node send at once.
    func release(_ receiver: String, by node: String) throws(Refusal)

    /// The next events that are due: of each user the oldest one, if it is due. An event of a user waits for the one before.
    func dueEvents(for receiver: String, now: Timestamp, limit: Int) throws(Refusal) -> [QueuedEvent]

    /// Removes an event that the receiver has accepted.
    func finish(_ event: QueuedEvent) throws(Refusal)

    /// Counts a failed attempt. The event is due again at a moment; with nil it is a dead letter.
    func postpone(_ event: QueuedEvent, until moment: Timestamp?, fault: String, now: Timestamp) throws(Refusal)

    /// Makes dead letters of the events of a receiver that have expired, at most some thousands. Returns how many.
    func expireEvents(for receiver: String, fault: String, now: Timestamp) throws(Refusal) -> Int

    /// Sends nothing more to a receiver, until an operator resumes it.
    func stop(_ receiver: String, now: Timestamp) throws(Refusal)

    /// When an operator last wanted events of a receiver to be sent at once; nil if that has not happened.
    func resumption(of receiver: String) throws(Refusal) -> Timestamp?

    /// The state of each registered receiver, in the order of their names.
    func receiverStates() throws(Refusal) -> [ReceiverState]
}

/// What is asked of the outbox by operators.
package protocol OperatorEventStore: EventStore {
    /// The oldest events that match.
    func events(_ query: EventQuery) throws(Refusal) -> [QueuedEvent]

    /// Makes events due at once, dead letters as well, and ends the pause of their receivers. Returns how many.
    func retry(_ query: EventQuery, now: Timestamp) throws(Refusal) -> Int

    /// Sends to a receiver again that had been stopped. False if no receiver of this name is registered.
    func resume(_ receiver: String, now: Timestamp) throws(Refusal) -> Bool
}

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

    /// For how long a receiver stays registered that no node has in its settings any more: nodes are restarted one by one.
    package static let memory = Duration.seconds(86_400)
}

/// Selects events for an operator.
package struct EventQuery: Sendable, Equatable {
    package var receiver: String?
    /// The id of an event: one for each receiver that has not been told.
    package var id: String?
    package var userID: UserID?
    package var onlyDead: Bool
    /// For the next page: only events after this number.
    package var after: Int64
    package var limit: Int

    package init(
        receiver: String? = nil, id: String? = nil, userID: UserID? = nil, onlyDead: Bool = false, after: Int64 = 0,
        limit: Int
    ) {
        self.receiver = receiver
        self.id = id
        self.userID = userID
        self.onlyDead = onlyDead
        self.after = after
        self.limit = limit
    }
}
