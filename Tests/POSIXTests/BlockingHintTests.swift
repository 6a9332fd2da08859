import POSIX
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct BlockingHintTests {
    /// What happened on a thread, in order.
    private final class Diary: Sendable {
        private let events = Mutex<[String]>([])
        var all: [String] { events.withLock { $0 } }
        func add(_ event: String) { events.withLock { $0.append(event) } }
    }

    @Test("a pool is told before and after a wait, and not where what was waited for is there")
    func tells() throws {
        let diary = Diary()
        let open = Monitor(true)
        try onThread {
            BlockingHint.set(
                before: {
                    diary.add("before")
                    open.change { $0 = true }
                }, after: { diary.add("after") })
            open.wait { $0 ? () : nil }
            #expect(diary.all == [])
            open.change { $0 = false }
            open.wait { $0 ? () : nil }
            #expect(diary.all == ["before", "after"])
            open.change { $0 = false }
            _ = open.wait(atMost: .seconds(30)) { $0 ? () : nil }
            #expect(diary.all == ["before", "after", "before", "after"])
        }
    }

    @Test("a wait within another one is part of it, also where it throws")
    func nests() throws {
        struct Failure: Error {}
        let diary = Diary()
        try onThread {
            BlockingHint.set(before: { diary.add("before") }, after: { diary.add("after") })
            BlockingHint.around {
                BlockingHint.around { diary.add("inner") }
                diary.add("outer")
            }
            #expect(diary.all == ["before", "inner", "outer", "after"])
            #expect(throws: Failure.self) { try BlockingHint.around { throw Failure() } }
            #expect(diary.all.suffix(2) == ["before", "after"])
        }
    }

    @Test("a hint reaches the pool of its own thread alone, and none once that was removed")
    func isOwn() throws {
        let diary = Diary()
        BlockingHint.set(before: { diary.add("before") }, after: { diary.add("after") })
        defer { BlockingHint.remove() }
        try onThread { BlockingHint.around {} }
        #expect(diary.all == [])
        BlockingHint.around {}
        #expect(diary.all == ["before", "after"])
        BlockingHint.remove()
        BlockingHint.around {}
        #expect(diary.all == ["before", "after"])
    }

    private func onThread(_ body: @escaping @Sendable () -> Void) throws {
        try Thread.spawn(name: "test", body: body).join()
    }
}
