import Synchronization

/// Limits the running workers of a pool to the number of processors: with more, a worker would often be woken after the
/// others have taken all events.
///
/// A worker with a slot waits for events and handles them; the others sleep. A worker that is about to block on
/// anything else (a commit, another thread, the network) frees its slot. Afterwards it finishes its request without a
/// slot and then takes one. A sleeping worker is woken if no worker waits for events and there are more free slots than
/// workers that are about to take one.
///
/// With two processors, workers A and B have the slots, and C sleeps. A waits for a commit and frees its slot, so C is
/// woken and takes it. After the commit, A finishes its request beside B and C, finds no free slot, and sleeps.
package final class WorkerSlots: Sendable {
    private let limit: Atomic<Int>
    private let used = Atomic(0)
    /// Workers with a slot that wait for events.
    private let waiting = Atomic(0)
    /// Workers without a slot that have been blocked and finish their request.
    private let returning = Atomic(0)
    /// A stack: the worker that began to sleep last is woken first, since its memory is still
    /// in the processor's caches.
    private let sleeping = Monitor<[Int]>([])
    private let wakeUps: [Semaphore]

    package init(_ limit: Int = Processors.usable, for workers: Int) {
        self.limit = Atomic(min(limit, workers))
        wakeUps = (0..<workers).map { _ in Semaphore() }
    }

    /// Workers that neither wait for events nor sleep.
    package var busyWorkers: Int {
        max(0, wakeUps.count - sleeping.change { $0.count } - waiting.load(ordering: .relaxed))
    }

    /// Returns when the worker has a slot.
    package func take(_ worker: Int, isReturning: Bool = false) {
        let hasSlot = sleeping.change { sleeping in
            let isFree = freeCount > 0
            if isFree { used.add(1, ordering: .sequentiallyConsistent) } else { sleeping.append(worker) }
            return isFree
        }
        if isReturning { endReturning() }
        if !hasSlot { wakeUps[worker].wait() }
    }

    package func beginReturning() {
        returning.add(1, ordering: .sequentiallyConsistent)
    }

    package func endReturning() {
        returning.subtract(1, ordering: .sequentiallyConsistent)
        wakeOneIfNeeded()
    }

    package func free() {
        used.subtract(1, ordering: .sequentiallyConsistent)
        wakeOneIfNeeded()
    }

    package func beginWaiting() {
        waiting.add(1, ordering: .sequentiallyConsistent)
    }

    package func endWaiting() {
        waiting.subtract(1, ordering: .sequentiallyConsistent)
        wakeOneIfNeeded()
    }

    /// Gives every worker a slot, for shutdown.
    package func removeLimit() {
        limit.store(wakeUps.count, ordering: .sequentiallyConsistent)
        while wakeOne(if: { true }) {}
    }

    private var freeCount: Int {
        limit.load(ordering: .sequentiallyConsistent) - used.load(ordering: .sequentiallyConsistent)
    }

    private var isNeeded: Bool {
        freeCount > returning.load(ordering: .sequentiallyConsistent)
            && waiting.load(ordering: .sequentiallyConsistent) == 0
    }

    private func wakeOneIfNeeded() {
        if isNeeded { wakeOne { isNeeded } }
    }

    @discardableResult
    private func wakeOne(if isNeeded: () -> Bool) -> Bool {
        let woken = sleeping.change { sleeping -> Int? in
            guard isNeeded(), let worker = sleeping.popLast() else { return nil }
            used.add(1, ordering: .sequentiallyConsistent)
            return worker
        }
        if let woken { wakeUps[woken].post() }
        return woken != nil
    }
}
