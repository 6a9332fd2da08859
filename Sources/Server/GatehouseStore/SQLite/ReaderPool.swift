import SQLite
import Synchronization

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
        self.standing = standing
        self.open = open
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
