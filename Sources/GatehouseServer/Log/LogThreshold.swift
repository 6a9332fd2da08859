import Synchronization

/// The least level that is written; the same for everybody who has the log, also after it was changed.
final class LogThreshold: Sendable {
    private let rank: Atomic<Int>

    init(_ level: LogLevel) {
        rank = Atomic(level.rank)
    }

    func admits(_ level: LogLevel) -> Bool { level.rank >= rank.load(ordering: .relaxed) }

    func set(_ level: LogLevel) { rank.store(level.rank, ordering: .relaxed) }
}
