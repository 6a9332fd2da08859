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
