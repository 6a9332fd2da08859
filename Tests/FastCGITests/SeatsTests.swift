import POSIX
import Synchronization
import Testing

@testable import FastCGI

@Suite(.timeLimit(.minutes(1))) struct SeatsTests {
    @Test("there are so many seats, and who finds none sleeps until one is free")
    func sleeps() throws {
        let seats = Seats(2, for: 3)
        seats.take(0)
        seats.take(1)
        let third = try Sleeper(2, in: seats)
        #expect(seats.busyWorkers == 2)
        seats.leave()
        third.waitUntilSeated()
        #expect(seats.busyWorkers == 3)
    }

    @Test("nobody is called for a free seat while somebody waits for news, and somebody is as soon as nobody does")
    func callsWhenNobodyWaits() throws {
        let seats = Seats(2, for: 3)
        seats.take(0)
        seats.take(1)
        let third = try Sleeper(2, in: seats)
        seats.beginWaiting()
        seats.leave()
        #expect(!third.isSeated(after: .milliseconds(20)))
        seats.endWaiting()
        third.waitUntilSeated()
    }

    @Test("a worker who comes back finds its seat free if nobody was called")
    func comesBack() {
        let seats = Seats(1, for: 2)
        seats.take(0)
        seats.leave()
        seats.take(0)
        #expect(!seats.areTooManySeated)
    }

    @Test("who lay down last is called first")
    func lastFirst() throws {
        let seats = Seats(1, for: 3)
        seats.take(0)
        let second = try Sleeper(1, in: seats)
        let third = try Sleeper(2, in: seats)
        seats.leave()
        third.waitUntilSeated()
        #expect(!second.isSeated(after: .milliseconds(20)))
        seats.leave()
        second.waitUntilSeated()
    }

    @Test("who is called in addition has a seat too many, until somebody leaves")
    func inAddition() throws {
        let seats = Seats(1, for: 3)
        seats.callInAddition()
        seats.take(0)
        let second = try Sleeper(1, in: seats)
        seats.callInAddition()
        second.waitUntilSeated()
        #expect(seats.areTooManySeated)
        seats.leave()
        #expect(!seats.areTooManySeated)
    }

    @Test("once opened there is a seat for everybody, who sleeps already and who comes later")
    func opens() throws {
        let seats = Seats(1, for: 4)
        seats.take(0)
        let sleepers = try [1, 2].map { try Sleeper($0, in: seats) }
        seats.open()
        for sleeper in sleepers { sleeper.waitUntilSeated() }
        seats.take(3)
        #expect(seats.busyWorkers == 4)
    }

    /// With a call lost, all would sleep and the count stand still.
    @Test("no call is lost, however leaving and lying down fall together", arguments: [1, 2, 3])
    func losesNoCall(_ limit: Int) throws {
        let workers = 6
        let seats = Seats(limit, for: workers)
        let turns = Atomic(0)
        let threads = try (0..<workers).map { worker in
            try Thread.spawn(name: "worker") {
                while turns.load(ordering: .relaxed) < 20_000 {
                    seats.take(worker)
                    turns.add(1, ordering: .relaxed)
                    seats.beginWaiting()
                    seats.endWaiting()
                    seats.leave()
                }
                seats.open()
            }
        }
        for thread in threads { thread.join() }
        #expect(turns.load(ordering: .relaxed) >= 20_000)
    }
}

/// A thread that asks for a seat, and has lain down when it is made.
private final class Sleeper: Sendable {
    private let hasSeat = Monitor(false)

    init(_ worker: Int, in seats: Seats) throws {
        let before = seats.busyWorkers
        _ = try Thread.spawn(name: "sleeper") { [hasSeat] in
            seats.take(worker)
            hasSeat.change { $0 = true }
        }
        while seats.busyWorkers == before { Thread.pause(for: .milliseconds(1)) }
    }

    func waitUntilSeated() {
        hasSeat.wait { $0 ? () : nil }
    }

    func isSeated(after time: Duration) -> Bool {
        hasSeat.wait(atMost: time) { $0 ? () : nil } != nil
    }
}
