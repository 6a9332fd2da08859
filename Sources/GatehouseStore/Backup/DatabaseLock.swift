import Gatehouse
import POSIX

/// Who has a database open: all who do share a lock, in a file beside it, and a restore has it alone.
///
/// SQLite's own locks are on the file that a restore replaces, and on its log; both may be damaged by then. The kernel takes
/// this one back from a process that was killed.
struct DatabaseLock: Sendable {
    private let lock: FileLock

    /// Waits for a restore that is under way, for so long.
    static func shared(_ path: String, waiting patience: Duration) throws -> DatabaseLock {
        let end = MonotonicTime.now + patience
        while true {
            if let lock = try take(path, .shared) {
                // Looked for with the lock in hand: nobody puts it there now.
                guard !Restore.isCutOff(path) else {
                    throw StoreFailure("a restore of the database was cut off: run gatehouse restore again")
                }
                return lock
            }
            guard MonotonicTime.now < end else { throw StoreFailure("the database is being restored: " + path) }
            Thread.pause(for: .milliseconds(50))
        }
    }

    /// Nil where somebody has the database open.
    static func alone(_ path: String) throws -> DatabaseLock? { try take(path, .exclusive) }

    /// Whether anybody has ever locked this database.
    static func isKnown(_ path: String) -> Bool { File.exists(name(for: path)) }

    private static func take(_ path: String, _ kind: FileLock.Kind) throws -> DatabaseLock? {
        try FileLock.take(name(for: path), kind).map(DatabaseLock.init)
    }

    private static func name(for path: String) -> String { File.resolved(path) + "-lock" }
}
