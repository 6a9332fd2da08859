import POSIX
import Synchronization

/// A place for every connection there may be, found by its descriptor's number without a lock.
final class ConnectionTable: Sendable {
    private let rows: [PlaceRow]
    private let limit: Int
    private let openCount = Atomic(0)
    private let isBeingSwept = Atomic(false)

    /// Descriptors that are no connections (databases, logs, the listener) take numbers too.
    /// Far more than there can be: rows that nobody uses hold nothing.
    private static let otherDescriptors = 16 << 10

    init(limit: Int) {
        self.limit = limit
        rows = (0..<(limit + Self.otherDescriptors) / PlaceRow.length + 1).map { _ in PlaceRow() }
    }

    var count: Int { openCount.load(ordering: .relaxed) }

    /// Gives an accepted connection its place, held by the caller; nil if there are too many, and then it is closed.
    ///
    /// - Parameters:
    ///   - isOwn: this process is at the other end, too, and does not count against its own guests.
    ///   - makeRoom: called when the table is full: dismisses one connection, or returns false.
    func admit(
        _ accepted: consuming FileDescriptor, isOwn: Bool = false, makingRoom makeRoom: () -> Bool = { false }
    ) -> Connection? {
        let (row, column) = Self.position(accepted.number)
        let open = openCount.add(1, ordering: .relaxed).newValue
        // Each admission over the limit closes one connection or fails, so that threads that accept at once stay within it.
        guard row < rows.count, open <= limit || isOwn || makeRoom() else {
            openCount.subtract(1, ordering: .relaxed)
            return nil
        }
        rows[row].make()
        let place = rows[row].place(column)
        place?.occupy(accepted)
        return place
    }

    subscript(number: Int32) -> Connection? {
        let (row, column) = Self.position(number)
        return rows.indices.contains(row) && column >= 0 ? rows[row].place(column) : nil
    }

    private static func position(_ number: Int32) -> (row: Int, column: Int) {
        let (row, column) = Int(number).quotientAndRemainder(dividingBy: PlaceRow.length)
        return (row, column)
    }

    /// Ends a connection that the caller holds.
    func dismiss(_ connection: Connection) {
        connection.vacate()
        openCount.subtract(1, ordering: .relaxed)
    }

    /// The parked connection that has been idle longest, for a thread that has yet to claim it: by then another thread may
    /// hold it, or a request may have used it. Reads every place, so it is only for a table that is full.
    func longestIdle() -> (connection: Connection, since: MonotonicTime)? {
        var longest: (connection: Connection, since: MonotonicTime)?
        for row in rows {
            for connection in row.made where connection.isParked {
                guard let since = connection.idleSince else { continue }
                if longest.map({ since < $0.since }) ?? true { longest = (connection, since) }
            }
        }
        return longest
    }

    /// Claims every connection that nobody holds and that is wanted, and hands it to `body`, which holds it from then on.
    /// One thread at a time is enough, so a second one has nothing to do.
    func claimAll(where isWanted: (Connection) -> Bool, then body: (Connection) -> Void) {
        guard !isBeingSwept.exchange(true, ordering: .acquiring) else { return }
        defer { isBeingSwept.store(false, ordering: .releasing) }
        for row in rows {
            for connection in row.made where connection.isParked && isWanted(connection) {
                if connection.claim() { body(connection) }
            }
        }
    }
}
