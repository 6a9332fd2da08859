import POSIX
import Synchronization
import TestSupport
import Testing

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
