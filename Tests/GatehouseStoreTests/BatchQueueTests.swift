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
        #expect((1...20).contains(batches.number.load(ordering: .relaxed)))
    }
}

private final class Counter: Sendable {
    let number = Atomic(0)
}
