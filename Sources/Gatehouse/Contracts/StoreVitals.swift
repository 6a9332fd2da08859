/// How a store fares at a moment.
package struct StoreVitals: Sendable, Equatable {
    /// Of all that it holds.
    package var databaseBytes: Int64?
    /// Of what has been committed and not yet been moved to its place.
    package var logBytes: Int64?
    /// Of the place where both are.
    package var totalBytes: Int64?
    package var freeBytes: Int64?
    /// Writes that wait for those before them.
    package var waitingWrites: Int
    /// What is still to be asked of Apple; nil where the store does not answer.
    package var appleQueue: [AppleBacklog]?
    /// When the last good backup was made; nil where none is known.
    package var backedUpAt: Timestamp?

    package init(
        databaseBytes: Int64? = nil, logBytes: Int64? = nil, totalBytes: Int64? = nil, freeBytes: Int64? = nil,
        waitingWrites: Int = 0, appleQueue: [AppleBacklog]? = nil, backedUpAt: Timestamp? = nil
    ) {
        self.databaseBytes = databaseBytes
        self.logBytes = logBytes
        self.totalBytes = totalBytes
        self.freeBytes = freeBytes
        self.waitingWrites = waitingWrites
        self.appleQueue = appleQueue
        self.backedUpAt = backedUpAt
    }
}
