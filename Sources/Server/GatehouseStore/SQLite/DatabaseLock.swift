import FileSystem
import Gatehouse
import POSIX

/// The lock file beside a database. Every process that opens the database holds a shared lock, and a
/// restore or a move holds an exclusive one.
///
/// SQLite's own locks are in files that a restore replaces and that may be damaged. The kernel releases this lock if
/// the process is killed.
struct DatabaseLock: Sendable {
    private let lock: FileLock

    /// Waits up to `timeout` for a running restore or move.
    static func shared(_ path: String, waiting timeout: Duration) throws -> DatabaseLock {
        let end = MonotonicTime.now + timeout
        while true {
            if let lock = try take(path, .shared) {
                // Checked while the lock is held, so that no restore can start after the check.
                guard !Restore.isInterrupted(path) else {
                    throw StoreFailure("a restore of the database was interrupted: run gatehouse restore again")
                }
                guard !UnfinishedMove.exists(at: path) else { throw StoreFailure(UnfinishedMove.advice(for: path)) }
                return lock
            }
            guard MonotonicTime.now < end else {
                throw StoreFailure("the database is being restored or moved, try again later: " + path)
            }
            Thread.pause(for: .milliseconds(50))
        }
    }

    /// Nil if another process has the database open.
    static func exclusive(_ path: String) throws -> DatabaseLock? { try take(path, .exclusive) }

    /// Whether the database has a lock file, which any process that opened it has created.
    static func exists(for path: String) -> Bool { File.exists(name(for: path)) }

    private static func take(_ path: String, _ kind: FileLock.Kind) throws -> DatabaseLock? {
        try FileLock.take(name(for: path), kind).map(DatabaseLock.init)
    }

    private static func name(for path: String) -> String { File.resolved(path) + "-lock" }
}
