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
    /// - Parameter isOwn: this process is at the other end, too, and does not count against its own guests.
    func admit(_ accepted: consuming FileDescriptor, isOwn: Bool = false) -> Connection? {
        let (row, column) = Self.position(accepted.number)
        let open = openCount.add(1, ordering: .relaxed).newValue
        guard open <= limit || isOwn, row < rows.count else {
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
