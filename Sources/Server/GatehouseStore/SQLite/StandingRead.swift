import SQL
import SQLite
import Synchronization

/// A read transaction that stays open between requests, so that other read transactions need no system call.
///
/// A read transaction takes and releases a shared lock on the write-ahead log: two calls of `fcntl` behind a
/// mutex of the process. SQLite skips both calls while another connection of the process holds the same lock,
/// and this connection holds it. It does not affect what others read: each begins its own transaction at the
/// newest commit of any process.
///
/// SQLite cannot restart its log while an old read transaction is open. So the writer suspends this one for each of its
/// own transactions, and maintenance ends it every second. The next read begins it again.
final class StandingRead: Sendable {
    private let connection: Mutex<Connection>
    /// Whether the next read begins it. Written under the lock, read without.
    private let isDue = Atomic(true)

    init(_ connection: sending Connection) {
        self.connection = Mutex(connection)
    }

    /// Called after each read.
    func beginIfDue() {
        guard isDue.load(ordering: .relaxed) else { return }
        _ = connection.withLockIfAvailable { connection in
            guard isDue.exchange(false, ordering: .relaxed) else { return }
            // A failure here only makes reads slower. They report their own errors.
            _ = try? connection.run("BEGIN")
            _ = try? connection.first("PRAGMA user_version") { $0.integer(0) }
        }
    }

    /// Ends it. The next read begins another one.
    func end() {
        connection.withLock { connection in
            guard Self.end(connection) else { return }
            isDue.store(true, ordering: .relaxed)
        }
    }

    /// Ends it. No read begins another one before `resume`.
    func suspend() {
        connection.withLock { connection in
            isDue.store(false, ordering: .relaxed)
            Self.end(connection)
        }
    }

    func resume() { connection.withLock { _ in isDue.store(true, ordering: .relaxed) } }

    /// False when none was open.
    @discardableResult
    private static func end(_ connection: Connection) -> Bool {
        guard !connection.isInAutocommit else { return false }
        _ = try? connection.run("COMMIT")
        return true
    }
}

/// A pool of read-only connections. It opens one when all are in use, so it grows to the number of concurrent readers.
final class ReaderPool: Sendable {
    /// `@unchecked Sendable`: a connection is either in a shard, guarded by its mutex, or used by the
    /// one thread that took it.
    private struct Pooled: @unchecked Sendable {
        let connection: Connection
    }

    private final class Shard: Sendable {
        let idle = Mutex<[Pooled]>([])
    }

    private let open: @Sendable () throws(SQLiteError) -> Connection
    /// Several, because a thread that waits for a mutex spins while the owner is not running.
    private let shards = (0..<4).map { _ in Shard() }
    private let standing: StandingRead?

    init(beside standing: StandingRead? = nil, open: @escaping @Sendable () throws(SQLiteError) -> Connection) {
        (self.standing, self.open) = (standing, open)
    }

    func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let pooled = try take()
        let result = try body(pooled.connection)
        // Returned only after a success: a connection that failed is closed, and the next read opens a new one.
        putBack(pooled)
        standing?.beginIfDue()
        return result
    }

    /// From the first shard that has one: the most used connections have the most useful page cache.
    private func take() throws(SQLiteError) -> Pooled {
        for shard in shards {
            if let found = shard.idle.withLockIfAvailable({ $0.popLast() }), let pooled = found { return pooled }
        }
        // All shards are tried with waiting before another connection is opened.
        for shard in shards {
            if let pooled = shard.idle.withLock({ $0.popLast() }) { return pooled }
        }
        return Pooled(connection: try open())
    }

    private func putBack(_ pooled: Pooled) {
        for shard in shards where shard.idle.withLockIfAvailable({ $0.append(pooled) }) != nil { return }
        shards[0].idle.withLock { $0.append(pooled) }
    }
}
