import POSIX
import Synchronization

/// Says which workers take part: as many as there are processors, so that none of them has to be woken for what another
/// one, who is awake, can do next.
///
/// A worker with a seat waits for news and sees to them. The others sleep. Who has to wait for anything else leaves the
/// seat, and whenever a seat is free and nobody waits for news, a sleeper is called. Those who lay down last are called
/// first: what they need is still at hand.
final class Seats: Sendable {
    private let limit: Atomic<Int>
    private let counts = Atomic<UInt64>(0)
    private let taken = Atomic(0)
    private let beds: [Semaphore]
    /// Changes only together with `counts`.
    private let sleepers = Monitor<[Int]>([])

    init(_ limit: Int, for workers: Int) {
        self.limit = Atomic(limit)
        beds = (0..<workers).map { _ in Semaphore() }
    }

    /// Workers that neither wait for news nor sleep.
    var busyWorkers: Int {
        let counts = SeatCounts(rawValue: counts.load(ordering: .relaxed))
        return max(0, beds.count - counts.asleep - counts.waiting)
    }

    /// How often news were taken, so far.
    var turns: Int { taken.load(ordering: .relaxed) }

    /// More have a seat than there are seats, since somebody was called in addition.
    var areTooManySeated: Bool {
        SeatCounts(rawValue: counts.load(ordering: .relaxed)).seated > limit.load(ordering: .relaxed)
    }
}

// MARK: - For the workers

extension Seats {
    /// Returns when the worker has a seat.
    func take(_ worker: Int) {
        if !sitDown(worker) { beds[worker].wait() }
    }

    /// Frees the caller's seat, for as long as it waits for something else than news.
    func leave() {
        callIfNeeded(change(by: -SeatCounts.seat))
    }

    func beginWaiting() {
        _ = change(by: SeatCounts.waiter)
    }

    func endWaiting() {
        taken.wrappingAdd(1, ordering: .relaxed)
        callIfNeeded(change(by: -SeatCounts.waiter))
    }

    /// Calls a sleeper although no seat is free.
    func callInAddition() {
        call { _ in true }
    }

    /// From now on there is a seat for everybody.
    func open() {
        limit.store(beds.count, ordering: .relaxed)
        while call(where: { _ in true }) {}
    }
}

// MARK: - Calling

extension Seats {
    private func change(by amount: Int64) -> SeatCounts {
        let change = UInt64(bitPattern: amount)
        return SeatCounts(rawValue: counts.wrappingAdd(change, ordering: .sequentiallyConsistent).newValue)
    }

    /// Takes a seat or lies down, whichever it is at one moment: who frees a seat after it sees the sleeper.
    private func sitDown(_ worker: Int) -> Bool {
        sleepers.change { sleepers in
            while true {
                let now = SeatCounts(rawValue: counts.load(ordering: .sequentiallyConsistent))
                let isFree = now.seated < limit.load(ordering: .relaxed)
                let next = now.rawValue &+ UInt64(isFree ? SeatCounts.seat : SeatCounts.sleeper)
                let isDone = counts.compareExchange(
                    expected: now.rawValue, desired: next, ordering: .sequentiallyConsistent
                ).exchanged
                guard isDone else { continue }
                if !isFree { sleepers.append(worker) }
                return isFree
            }
        }
    }

    private func isNeeded(_ counts: SeatCounts) -> Bool {
        counts.waiting == 0 && counts.asleep > 0 && counts.seated < limit.load(ordering: .relaxed)
    }

    private func callIfNeeded(_ counts: SeatCounts) {
        if isNeeded(counts) { call(where: isNeeded) }
    }

    /// Gives the sleeper who lay down last a seat; false if there is none, or none is needed.
    @discardableResult
    private func call(where isNeeded: (SeatCounts) -> Bool) -> Bool {
        let called = sleepers.change { sleepers -> Int? in
            guard isNeeded(SeatCounts(rawValue: counts.load(ordering: .sequentiallyConsistent))) else { return nil }
            guard let sleeper = sleepers.popLast() else { return nil }
            _ = change(by: SeatCounts.seat - SeatCounts.sleeper)
            return sleeper
        }
        if let called { beds[called].post() }
        return called != nil
    }
}
