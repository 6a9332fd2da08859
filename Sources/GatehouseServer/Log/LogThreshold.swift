import Synchronization

/// The level from which on lines are written. Every copy of a log shares it, and it may change at any time.
final class LogThreshold: Sendable {
    private let rank: Atomic<Int>

    init(_ level: LogLevel) {
        rank = Atomic(level.rank)
    }

    func set(_ level: LogLevel) { rank.store(level.rank, ordering: .relaxed) }

    func admits(_ level: LogLevel) -> Bool { level.rank >= rank.load(ordering: .relaxed) }
}
