package import POSIX
import Synchronization

/// Holds a line of the log back that has been written a moment ago, so that what every request brings up again does not
/// fill the disk, and still stands near the end of the log for as long as it lasts.
package final class Occasionally: Sendable {
    /// Whoever has more than these to say may wait, and takes no more memory.
    private static let most = 16

    private let interval: Duration
    private let due = Mutex<[String: MonotonicTime]>([:])

    package init(every interval: Duration) {
        self.interval = interval
    }

    /// Whether this may be said now. Asking counts as saying it.
    package func permits(_ what: String, at now: MonotonicTime = .now) -> Bool {
        due.withLock { due in
            due = due.filter { now < $0.value }
            guard due[what] == nil, due.count < Self.most else { return false }
            due[what] = now + interval
            return true
        }
    }
}
