import SQLite
import Synchronization

/// Connections for reading, opened as they are needed: as many as ever read at once.
///
/// `@unchecked Sendable`: a connection is either in the pool, guarded by its mutex, or lent to the one thread that
/// took it out.
final class ReaderPool: @unchecked Sendable {
    private struct Lendable: @unchecked Sendable {
        let connection: Connection
    }

    private let open: @Sendable () throws(SQLiteError) -> Connection
    private let idle = Mutex<[Lendable]>([])

    init(open: @escaping @Sendable () throws(SQLiteError) -> Connection) {
        self.open = open
    }

    func read<Result>(_ body: (Connection) throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        let connection = try borrow()
        let result = try body(connection)
        // Given back only after a success: a connection that failed is closed and a new one tried next time.
        idle.withLock { $0.append(Lendable(connection: connection)) }
        return result
    }

    private func borrow() throws(SQLiteError) -> Connection {
        if let lent = idle.withLock({ $0.popLast() }) { return lent.connection }
        return try open()
    }
}
