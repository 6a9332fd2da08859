/// The outbox: the events that receivers have not been told yet. Each write that changes a user adds them in its transaction, one
/// for each receiver that is registered for the type.
package protocol EventStore: Sendable {
    /// Registers the receivers of this node's settings. From the next write on, their events are queued. No receiver is
    /// removed, since a clock that is wrong, or settings that are read too late, must not lose its events: see `forget`.
    func register(_ receivers: [EventSubscription], now: Timestamp) throws(Refusal)

    /// Takes or renews the lease on a receiver: the node that holds it sends. False while another node holds the lease.
    ///
    /// - Parameter time: how long; counted by the clock of the database.
    func hold(_ receiver: String, by node: String, for time: Duration) throws(Refusal) -> Bool

    /// Lets another node send at once.
    func release(_ receiver: String, by node: String) throws(Refusal)

    /// The next events that are due: the oldest event of each user, if it is due. A user's next event waits for it.
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

    /// Deletes events. Returns how many.
    func discard(_ query: EventQuery) throws(Refusal) -> Int

    /// Removes a receiver, and some of its events. A node that has it in its settings registers it again. False if there was
    /// nothing to remove.
    func forget(_ receiver: String, limit: Int) throws(Refusal) -> Bool

    /// Sends to a receiver again that had been stopped. False if no receiver of this name is registered.
    func resume(_ receiver: String, now: Timestamp) throws(Refusal) -> Bool
}

/// An event that a receiver has not been told yet, or that it has refused for too long (a dead letter).
package struct QueuedEvent: Sendable, Equatable {
    /// Assigned by the store. A receiver gets the events of a user in the order of these numbers.
    package var number: Int64
    /// The same at every receiver and at every attempt: a receiver ignores an id that it has had before.
    package var id: String
    package var receiver: String
    package var event: UserEvent
    /// How often it was sent.
    package var attempts: Int64
    /// When it is sent again; nil for at once.
    package var dueAt: Timestamp?
    /// When it is given up if it still fails; nil before the first failure.
    package var expiresAt: Timestamp?
    /// When it was given up; nil while it waits.
    package var deadAt: Timestamp?
    /// Why the last attempt failed.
    package var fault: String?

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
