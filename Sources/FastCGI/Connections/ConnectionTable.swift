import POSIX
import Synchronization

/// A place for every connection there may be, found by its descriptor's number without a lock.
final class ConnectionTable: Sendable {
    private let places: [Connection]
    private let limit: Int
    private let openCount = Atomic(0)
    /// Beyond these, no place has ever been taken: the kernel gives out the lowest number that is free.
    private let usedPlaces = Atomic(0)
    private let isBeingSwept = Atomic(false)

    /// Descriptors that are no connections (databases, logs, the listener) take numbers too.
    private static let otherDescriptors = 512

    init(limit: Int) {
        self.limit = limit
        places = (0..<limit + Self.otherDescriptors).map { _ in Connection() }
    }

    var count: Int { openCount.load(ordering: .relaxed) }

    /// Gives an accepted connection its place, held by the caller; nil if there are too many, and then it is closed.
    ///
    /// - Parameter isOwn: this process is at the other end, too, and does not count against its own guests.
    func admit(_ accepted: consuming FileDescriptor, isOwn: Bool = false) -> Connection? {
        let number = Int(accepted.number)
        let open = openCount.add(1, ordering: .relaxed).newValue
        guard open <= limit || isOwn, number < places.count else {
            openCount.subtract(1, ordering: .relaxed)
            return nil
        }
        usedPlaces.max(number + 1, ordering: .relaxed)
        places[number].occupy(accepted)
        return places[number]
    }

    subscript(number: Int32) -> Connection? {
        places.indices.contains(Int(number)) ? places[Int(number)] : nil
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
        for number in 0..<usedPlaces.load(ordering: .relaxed) {
            let connection = places[number]
            if connection.isParked, isWanted(connection), connection.claim() { body(connection) }
        }
    }
}
