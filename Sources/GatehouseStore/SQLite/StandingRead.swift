import SQLite
import Synchronization

/// A read transaction that stays open between requests, so that the others need no system call.
///
/// A read transaction takes a shared lock on the write-ahead log and drops it: two calls of `fcntl`, behind a mutex of the
/// process. SQLite leaves both calls out where another connection of this process holds the same lock, and this one holds
/// it. What the others read does not depend on it: each begins its own transaction, at the newest commit of any process.
///
/// SQLite cannot begin its log anew while an old read transaction is open. So the writer suspends it for each of its own
/// transactions, and housekeeping ends it every second. The next read begins it again.
final class StandingRead: Sendable {
    private let connection: Mutex<Connection>
    /// Whether the next read is to begin it. Changed only under the lock, read without.
    private let isDue = Atomic(true)

    init(_ connection: sending Connection) {
        self.connection = Mutex(connection)
    }

    /// To be called after each read.
    func beginIfDue() {
        guard isDue.load(ordering: .relaxed) else { return }
        _ = connection.withLockIfAvailable { connection in
            guard isDue.exchange(false, ordering: .relaxed) else { return }
            // A failure makes reads slower and not wrong: they fail by themselves if they have to.
            _ = try? connection.run("BEGIN")
            _ = try? connection.first("PRAGMA user_version") { $0.integer(0) }
        }
    }

    /// Ends it; the next read begins another one.
    func end() {
        connection.withLock { connection in
            guard Self.end(connection) else { return }
            isDue.store(true, ordering: .relaxed)
        }
    }

    /// Ends it, and lets no read begin another one until `resume`.
    func suspend() {
        connection.withLock { connection in
            isDue.store(false, ordering: .relaxed)
            Self.end(connection)
        }
    }

    func resume() { connection.withLock { _ in isDue.store(true, ordering: .relaxed) } }

    /// False where none was open.
    @discardableResult
    private static func end(_ connection: Connection) -> Bool {
        guard !connection.isInAutocommit else { return false }
        _ = try? connection.run("COMMIT")
        return true
    }
}
