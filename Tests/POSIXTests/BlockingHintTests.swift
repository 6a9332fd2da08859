import POSIX
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct BlockingHintTests {
    @Test("whoever waits has its stand-in called before, and whoever finds what it looks for has not")
    func calls() throws {
        let calls = Atomic(0)
        let open = Monitor(true)
        try onThread {
            BlockingHint.set {
                calls.add(1, ordering: .relaxed)
                open.change { $0 = true }
            }
            open.wait { $0 ? () : nil }
            #expect(calls.load(ordering: .relaxed) == 0)
            open.change { $0 = false }
            open.wait { $0 ? () : nil }
            #expect(calls.load(ordering: .relaxed) == 1)
            open.change { $0 = false }
            _ = open.wait(atMost: .seconds(30)) { $0 ? () : nil }
            #expect(calls.load(ordering: .relaxed) == 2)
        }
    }

    @Test("a stand-in is its own thread's alone, and none once it was taken back")
    func isOwn() throws {
        let calls = Atomic(0)
        BlockingHint.set { calls.add(1, ordering: .relaxed) }
        defer { BlockingHint.set(nil) }
        try onThread { BlockingHint.give() }
        #expect(calls.load(ordering: .relaxed) == 0)
        BlockingHint.give()
        #expect(calls.load(ordering: .relaxed) == 1)
        BlockingHint.set(nil)
        BlockingHint.give()
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    private func onThread(_ body: @escaping @Sendable () -> Void) throws {
        try Thread.spawn(name: "test", body: body).join()
    }
}
