import SQLite
import Synchronization

/// Connections for reading, opened as they are needed: as many as ever read at once.
final class ReaderPool: Sendable {
    /// `@unchecked Sendable`: a connection is either on a shelf, guarded by its mutex, or lent to the one thread that
    /// took it out.
    private struct Lendable: @unchecked Sendable {
        let connection: Connection
    }

    private final class Shelf: Sendable {
        let idle = Mutex<[Lendable]>([])
    }

    private let open: @Sendable () throws(SQLiteError) -> Connection
    /// More than one, so that nobody waits: a mutex keeps a processor busy while whoever holds it has none.
    private let shelves = (0..<4).map { _ in Shelf() }
    private let standing: StandingRead?

    init(beside standing: StandingRead? = nil, open: @escaping @Sendable () throws(SQLiteError) -> Connection) {
        self.standing = standing
        self.open = open
    }

    func read<Result>(_ body: (Connection) throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        let lent = try borrow()
        let result = try body(lent.connection)
        // Given back only after a success: a connection that failed is closed and a new one tried next time.
        giveBack(lent)
        standing?.beginIfDue()
        return result
    }

    /// Always from the first shelf that has one: those that are used most have in memory what is asked for.
    private func borrow() throws(SQLiteError) -> Lendable {
        for shelf in shelves {
            if let found = shelf.idle.withLockIfAvailable({ $0.popLast() }), let lent = found { return lent }
        }
        // Before one more is opened, no shelf is passed over.
        for shelf in shelves {
            if let lent = shelf.idle.withLock({ $0.popLast() }) { return lent }
        }
        return Lendable(connection: try open())
    }

    private func giveBack(_ lent: Lendable) {
        for shelf in shelves where shelf.idle.withLockIfAvailable({ $0.append(lent) }) != nil { return }
        shelves[0].idle.withLock { $0.append(lent) }
    }
}
