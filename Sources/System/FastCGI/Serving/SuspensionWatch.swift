import POSIX
import Synchronization

/// Notices that the process was suspended, by a signal or together with its machine.
///
/// A request that waited in a socket during the suspension may have timed out: the web server has closed the connection
/// and sent the request to another node. Executed now, an old refresh would present a token whose successor is in use,
/// and end the session.
final class SuspensionWatch: Sendable {
    /// Longer than a busy machine delays a thread, shorter than a web server waits for an answer.
    private static let shortest: Int64 = 2000
    /// For how long after a suspension a request in a socket may be one that was sent before it.
    private static let doubtFor: Int64 = 10_000

    private let lastTick = Atomic(MonotonicTime.now.milliseconds)
    private let doubtUntil = Atomic<Int64>(0)

    /// Has to be called about once a second.
    func tick(at now: MonotonicTime = .now) {
        let last = lastTick.load(ordering: .relaxed)
        if now.milliseconds - last > Self.shortest {
            doubtUntil.store(now.milliseconds + Self.doubtFor, ordering: .relaxed)
        }
        lastTick.store(now.milliseconds, ordering: .releasing)
    }

    /// Whether a request may have waited during a suspension. True also before the first tick after it, since a worker may
    /// be the first thread to run.
    func isInDoubt(at now: MonotonicTime = .now) -> Bool {
        now.milliseconds - lastTick.load(ordering: .acquiring) > Self.shortest
            || now.milliseconds < doubtUntil.load(ordering: .relaxed)
    }
}
