import POSIX
import Synchronization
import TestSupport
import Testing

@testable import GatehouseStore

@Suite("Batches")
struct BatchQueueTests {
    @Test("work that comes alone does not wait for more")
    func alone() {
        let queue = BatchQueue<QueuedWork>(gathering: .pause(.seconds(10)))
        let watch = Stopwatch()
        queue.perform(QueuedWork()) { _ in .run }
        #expect(watch.nanoseconds < 5_000_000_000)
    }

    @Test("while much work arrives, batches wait for more of it")
    func gathering() throws {
        // A thread may lose the processor at the wrong moment, so one of some attempts counts.
        let isGathered = try (0..<5).contains { _ in try (1...20).contains(countedBatches()) }
        #expect(isGathered)
    }

    /// How many begin in half a second.
    private func countedBatches() throws -> Int {
        let queue = BatchQueue<QueuedWork>(gathering: .pause(.milliseconds(50)))
        let batches = Counter()
        _ = try Concurrently.run(32) { _ in
            let watch = Stopwatch()
            while watch.nanoseconds < 1_000_000_000 {
                queue.perform(QueuedWork()) { _ in
                    // Once so many have run that the rate of arrivals is known, at most one begins each 50 ms.
                    if watch.nanoseconds > 500_000_000 { batches.number.add(1, ordering: .relaxed) }
                    return .run
                }
            }
        }
        return batches.number.load(ordering: .relaxed)
    }

    @Test("work that has not run when its time is over fails, and does not run later")
    func late() throws {
        let queue = BatchQueue<QueuedWork>()
        let late = QueuedWork()
        queue.perform(QueuedWork()) { _ in
            _ = try? Concurrently.run(1) { _ in
                #expect(throws: TimeIsOver.self) {
                    try queue.perform(late, until: .now + .milliseconds(20)) { _ in .run }
                }
            }
            #expect(queue.waitingCount == 0)
            return .run
        }
    }

    @Test("when the time of the leader's request is over, the next one leads the remaining requests")
    func leaderIsLate() throws {
        let queue = BatchQueue<QueuedWork>()
        let batches = Mutex<[Int]>([])
        _ = try Concurrently.run(4) { number in
            // The first batch has one request; the other three wait for it and are the second batch.
            #expect(number == 0 || Eventually.holds { batches.withLock { !$0.isEmpty } })
            queue.perform(QueuedWork()) { batch in
                let index = batches.withLock { all in
                    all.append(batch.count)
                    return all.count
                }
                if index == 1 { #expect(Eventually.holds { queue.waitingCount == 3 }) }
                return index == 2 ? .leave(Array(batch.dropFirst())) : .run
            }
        }
        #expect(batches.withLock { $0 } == [1, 3, 2])
    }
}

private final class Counter: Sendable {
    let number = Atomic(0)
}
