import POSIX
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct WorkerSlotsTests {
    @Test("a worker that finds no free slot sleeps until one is free")
    func sleeps() throws {
        let slots = WorkerSlots(2, for: 3)
        slots.take(0)
        slots.take(1)
        let third = try Sleeper(2, in: slots)
        #expect(slots.busyWorkers == 2)
        slots.free()
        third.waitForSlot()
        #expect(slots.busyWorkers == 3)
    }

    @Test(
        "a free slot wakes no worker while another waits for events, and wakes one as soon as none does"
    )
    func wakesWhenNoneWaits() throws {
        let slots = WorkerSlots(2, for: 3)
        slots.take(0)
        slots.take(1)
        let third = try Sleeper(2, in: slots)
        slots.beginWaiting()
        slots.free()
        // One waits, and one has no slot: a worker that was woken would count as busy at once.
        #expect(slots.busyWorkers == 1)
        slots.endWaiting()
        #expect(slots.busyWorkers == 3)
        third.waitForSlot()
    }

    @Test("a worker takes its slot again if no other was woken")
    func comesBack() throws {
        let slots = WorkerSlots(1, for: 2)
        slots.take(0)
        slots.free()
        slots.take(0)
        let second = try Sleeper(1, in: slots)
        #expect(slots.busyWorkers == 1)
        slots.free()
        second.waitForSlot()
        #expect(slots.busyWorkers == 2)
    }

    @Test("the worker that fell asleep last wakes up first")
    func lastFirst() throws {
        let slots = WorkerSlots(1, for: 3)
        slots.take(0)
        let second = try Sleeper(1, in: slots)
        let third = try Sleeper(2, in: slots)
        slots.free()
        third.waitForSlot()
        #expect(slots.busyWorkers == 2)
        slots.free()
        second.waitForSlot()
    }

    @Test("there are no more slots than workers", arguments: [(4, 1), (1, 1), (2, 3)])
    func noMoreThanWorkers(_ limit: Int, _ workers: Int) {
        let slots = WorkerSlots(limit, for: workers)
        for worker in 0..<min(limit, workers) { slots.take(worker) }
        for _ in 0..<min(limit, workers) { slots.beginWaiting() }
        #expect(slots.busyWorkers == workers - min(limit, workers))
    }

    @Test("without a limit there is a slot for every worker, sleeping or not")
    func opens() throws {
        let slots = WorkerSlots(1, for: 4)
        slots.take(0)
        let sleepers = try [1, 2].map { try Sleeper($0, in: slots) }
        slots.removeLimit()
        for sleeper in sleepers { sleeper.waitForSlot() }
        slots.take(3)
        #expect(slots.busyWorkers == 4)
    }

    /// If a wake-up were lost, all workers would sleep and the count would not change.
    @Test("no wake-up is lost, however freeing and falling asleep meet", arguments: [1, 2, 3])
    func losesNoWakeUp(_ limit: Int) throws {
        let workers = 6
        let slots = WorkerSlots(limit, for: workers)
        let turns = Atomic(0)
        let enough = Need.areAllMet ? 20_000 : 4000
        let threads = try (0..<workers).map { worker in
            try Thread.spawn(name: "worker") {
                while turns.load(ordering: .relaxed) < enough {
                    slots.take(worker)
                    turns.add(1, ordering: .relaxed)
                    slots.beginWaiting()
                    slots.endWaiting()
                    slots.free()
                }
                slots.removeLimit()
            }
        }
        for thread in threads { thread.join() }
        #expect(turns.load(ordering: .relaxed) >= enough)
    }
}

/// A thread that takes a slot; it is already sleeping when the initialiser returns.
private final class Sleeper: Sendable {
    private let slot = Monitor(false)

    init(_ worker: Int, in slots: WorkerSlots) throws {
        let before = slots.busyWorkers
        _ = try Thread.spawn(name: "sleeper") { [slot] in
            slots.take(worker)
            slot.change { $0 = true }
        }
        #expect(Eventually.holds { slots.busyWorkers < before })
    }

    func waitForSlot() {
        slot.wait { $0 ? () : nil }
    }
}
