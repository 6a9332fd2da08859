/// How old this process's knowledge of the revocation log is, and whether the process was suspended since.
///
/// A process that was suspended, by a signal or together with its machine, finds requests in its sockets before its thread
/// has read what other nodes ended meanwhile. So the first request reads the log itself. While the database does not answer,
/// requests go on instead: then the process notices the time again and again, in requests and in failed readings.
struct RevocationFreshness {
    /// A session has to end on all nodes within this time. In normal work the log is read every second.
    private static let longestAge = Duration.seconds(2)
    /// Longer than the pause between two readings takes.
    private static let shortestSuspension = Duration.milliseconds(1100)

    /// When the last successful reading began.
    private(set) var readAt: ContinuousClock.Instant
    /// When this process last noticed the time.
    private var noticedAt: ContinuousClock.Instant
    /// When the process noticed that it had been suspended. Nil once a reading that began later has ended.
    private var wokeAt: ContinuousClock.Instant?

    init(at now: ContinuousClock.Instant) {
        (readAt, noticedAt) = (now, now)
    }

    var mustBeRead: Bool { wokeAt != nil }

    mutating func notice(_ now: ContinuousClock.Instant) {
        // The second condition tells a suspension from a database that does not answer.
        if readAt.duration(to: now) > Self.longestAge, noticedAt.duration(to: now) > Self.shortestSuspension {
            wokeAt = now
        }
        noticedAt = max(noticedAt, now)
    }

    /// A reading has ended. After one that failed, requests go on, until the log is too old.
    mutating func endReading(from start: ContinuousClock.Instant, at now: ContinuousClock.Instant, succeeded: Bool) {
        notice(now)
        if succeeded { readAt = start }
        if let wokeAt, wokeAt <= start { self.wokeAt = nil }
    }
}
