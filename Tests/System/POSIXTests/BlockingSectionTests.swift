import POSIX
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct BlockingSectionTests {
    /// The events on a thread, in order.
    private final class EventLog: Sendable {
        private let events = Mutex<[String]>([])
        var all: [String] { events.withLock { $0 } }
        func add(_ event: String) { events.withLock { $0.append(event) } }
    }

    @Test("the callbacks run before and after a wait, and not if no wait is necessary")
    func tells() throws {
        let log = EventLog()
        let open = Monitor(true)
        try onThread {
            BlockingSection.set(
                before: {
                    log.add("before")
                    open.change { $0 = true }
                }, after: { log.add("after") })
            open.wait { $0 ? () : nil }
            #expect(log.all == [])
            open.change { $0 = false }
            open.wait { $0 ? () : nil }
            #expect(log.all == ["before", "after"])
            open.change { $0 = false }
            _ = open.wait(atMost: .seconds(30)) { $0 ? () : nil }
            #expect(log.all == ["before", "after", "before", "after"])
        }
    }

    @Test("a nested wait runs no callbacks, also if it throws")
    func nests() throws {
        struct Failure: Error {}
        let log = EventLog()
        try onThread {
            BlockingSection.set(before: { log.add("before") }, after: { log.add("after") })
            BlockingSection.run {
                BlockingSection.run { log.add("inner") }
                log.add("outer")
            }
            #expect(log.all == ["before", "inner", "outer", "after"])
            #expect(throws: Failure.self) { try BlockingSection.run { throw Failure() } }
            #expect(log.all.suffix(2) == ["before", "after"])
        }
    }

    @Test("a section tells the pool of its own thread, until the pool is removed")
    func isOwn() throws {
        let log = EventLog()
        BlockingSection.set(before: { log.add("before") }, after: { log.add("after") })
        defer { BlockingSection.remove() }
        try onThread { BlockingSection.run {} }
        #expect(log.all == [])
        BlockingSection.run {}
        #expect(log.all == ["before", "after"])
        BlockingSection.remove()
        BlockingSection.run {}
        #expect(log.all == ["before", "after"])
    }

    private func onThread(_ body: @escaping @Sendable () -> Void) throws {
        try Thread.spawn(name: "test", body: body).join()
    }
}

@Suite(.timeLimit(.minutes(1))) struct SemaphoreTests {
    @Test("a post wakes one waiting thread, and counts if it comes before the wait")
    func wakes() throws {
        let (ping, pong) = (Semaphore(), Semaphore())
        ping.post()
        let other = try Thread.spawn(name: "other") {
            for _ in 0..<1000 {
                ping.wait()
                pong.post()
            }
        }
        for _ in 0..<999 {
            pong.wait()
            ping.post()
        }
        pong.wait()
        other.join()
    }
}

@Suite("ThreadLocal")
struct ThreadLocalTests {
    /// Counts its instances.
    private final class Counted: Sendable {
        static let alive = Atomic(0)

        init() { Self.alive.add(1, ordering: .relaxed) }

        deinit { Self.alive.subtract(1, ordering: .relaxed) }
    }

    private final class Number {
        var value = 0
    }

    @Test("each thread has its own object")
    func own() throws {
        let local = ThreadLocal(Number())
        local.own.value = -1
        let arrived = Monitor(0)
        let seen = try Concurrently.run(8) { index -> Int in
            local.own.value += index
            arrived.change { $0 += 1 }
            arrived.wait { $0 == 8 ? () : nil }
            return local.own.value
        }
        #expect(seen.sorted() == Array(0..<8))
        #expect(local.own.value == -1)
    }

    @Test("the object is released when its thread ends")
    func end() throws {
        let local = ThreadLocal(Counted())
        let thread = try Thread.spawn(name: "counted") { _ = local.own }
        thread.join()
        #expect(Counted.alive.load(ordering: .relaxed) == 0)
    }
}
