import POSIX
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct BlockingHintTests {
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
            BlockingHint.set(
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
            BlockingHint.set(before: { log.add("before") }, after: { log.add("after") })
            BlockingHint.around {
                BlockingHint.around { log.add("inner") }
                log.add("outer")
            }
            #expect(log.all == ["before", "inner", "outer", "after"])
            #expect(throws: Failure.self) { try BlockingHint.around { throw Failure() } }
            #expect(log.all.suffix(2) == ["before", "after"])
        }
    }

    @Test("a hint only affects its own thread, until it is removed")
    func isOwn() throws {
        let log = EventLog()
        BlockingHint.set(before: { log.add("before") }, after: { log.add("after") })
        defer { BlockingHint.remove() }
        try onThread { BlockingHint.around {} }
        #expect(log.all == [])
        BlockingHint.around {}
        #expect(log.all == ["before", "after"])
        BlockingHint.remove()
        BlockingHint.around {}
        #expect(log.all == ["before", "after"])
    }

    private func onThread(_ body: @escaping @Sendable () -> Void) throws {
        try Thread.spawn(name: "test", body: body).join()
    }
}
