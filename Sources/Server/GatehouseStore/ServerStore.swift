package import Gatehouse
import POSIX
import Synchronization

/// What a health check asks of a store.
package protocol ProbedStore: Sendable {
    /// Reads one row.
    func probeReading() throws(StoreFailure)

    /// Commits a small write.
    func probeWriting() throws(StoreFailure)

    /// Throws if a file of the database is not where the server has opened it.
    func probeFiles() throws(StoreFailure)

    /// The outcome of the last write of any request; nil before the first.
    var lastWrite: WriteOutcome? { get }
}

extension ProbedStore {
    /// A store without files of its own.
    package func probeFiles() throws(StoreFailure) {}
}

/// The outcome of a write.
package struct WriteOutcome: Sendable {
    /// Nil when the write was committed.
    package let failure: StoreFailure?
    package let moment: ContinuousClock.Instant

    package init(failure: StoreFailure?, at moment: ContinuousClock.Instant) {
        (self.failure, self.moment) = (failure, moment)
    }
}

/// The outcome of the last write of a store.
final class LastWrite: Sendable {
    private let last = Mutex<WriteOutcome?>(nil)
    private let hasFailed = Atomic(false)

    var outcome: WriteOutcome? { last.withLock { $0 } }

    /// Concurrent successes need not all be recorded, but the first one after a failure must be.
    func succeeded() {
        let success = WriteOutcome(failure: nil, at: .now)
        if hasFailed.exchange(false, ordering: .relaxed) {
            last.withLock { $0 = success }
        } else {
            _ = last.withLockIfAvailable { $0 = success }
        }
    }

    func failed(_ failure: StoreFailure) {
        hasFailed.store(true, ordering: .relaxed)
        last.withLock { $0 = WriteOutcome(failure: failure, at: .now) }
    }
}

/// A document of its own, which every probe overwrites.
private let probeName = "probe"

extension RelationalStore {
    package func probeReading() throws(StoreFailure) {
        _ = try read { try $0.document(probeName) }
    }

    package func probeWriting() throws(StoreFailure) {
        let now = Timestamp(milliseconds: WallClock.millisecondsSince1970())
        try write { try $0.keep(Document(content: [], updatedAt: now), as: probeName) }
    }
}

/// The store of a server.
package protocol ServerStore: RelationalStore, ProbedStore {
    /// Takes little time, so it may be called every few seconds.
    func statistics() -> StoreStatistics
}
