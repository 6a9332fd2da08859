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
