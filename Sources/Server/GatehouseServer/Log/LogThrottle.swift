import FileSystem
package import POSIX
import Synchronization

/// Limits how often the same line is logged, for faults that every request would repeat: once per interval, so that
/// the end of the log shows the fault as long as it lasts.
package final class LogThrottle: Sendable {
    /// Bounds the memory. Further lines are suppressed.
    private static let maximumLines = 16

    private let interval: Duration
    private let due = Mutex<[String: MonotonicTime]>([:])

    package init(every interval: Duration) {
        self.interval = interval
    }

    /// Whether the line may be logged now. A permitted call counts as logged.
    package func permits(_ line: String, at now: MonotonicTime = .now) -> Bool {
        due.withLock { due in
            due = due.filter { now < $0.value }
            guard due[line] == nil, due.count < Self.maximumLines else { return false }
            due[line] = now + interval
            return true
        }
    }
}
