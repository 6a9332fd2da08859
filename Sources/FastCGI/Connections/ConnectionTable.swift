import POSIX
import Synchronization

/// A place for every connection there may be, found by its descriptor's number without a lock.
final class ConnectionTable: Sendable {
    private let rows: [PlaceRow]
    private let limit: Int
    private let openCount = Atomic(0)
    private let isBeingSwept = Atomic(false)

    /// Descriptors that are no connections (databases, logs, the listener) take numbers too.
    private static let otherDescriptors = 512

    init(limit: Int) {
        self.limit = limit
        rows = (0..<(limit + Self.otherDescriptors) / PlaceRow.length + 1).map { _ in PlaceRow() }
    }

    var count: Int { openCount.load(ordering: .relaxed) }

    /// Gives an accepted connection its place, held by the caller; nil if there are too many, and then it is closed.
    ///
    /// - Parameter isOwn: this process is at the other end, too, and does not count against its own guests.
    func admit(_ accepted: consuming FileDescriptor, isOwn: Bool = false) -> Connection? {
        let number = Int(accepted.number)
        let open = openCount.add(1, ordering: .relaxed).newValue
        guard open <= limit || isOwn, number / PlaceRow.length < rows.count else {
            openCount.subtract(1, ordering: .relaxed)
            return nil
        }
        let place = rows[number / PlaceRow.length].madePlaces[number % PlaceRow.length]
        place.occupy(accepted)
        return place
    }

    subscript(number: Int32) -> Connection? {
        let (row, column) = Int(number).quotientAndRemainder(dividingBy: PlaceRow.length)
        guard rows.indices.contains(row), column >= 0 else { return nil }
        return rows[row].places?[column]
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
            guard let places = row.places else { continue }
            for connection in places where connection.isParked && isWanted(connection) {
                if connection.claim() { body(connection) }
            }
        }
    }
}
