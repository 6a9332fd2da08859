import POSIX
import Synchronization
import TestSupport
import Testing

@Suite("A thread's own object")
struct ThreadLocalTests {
    /// Tells when it is let go.
    private final class Guest: Sendable {
        static let alive = Atomic(0)

        init() { Self.alive.add(1, ordering: .relaxed) }

        deinit { Self.alive.subtract(1, ordering: .relaxed) }
    }

    private final class Number {
        var value = 0
    }

    @Test("is seen by no other thread")
    func own() throws {
        let local = ThreadLocal(Number())
        local.own.value = -1
        let seen = try Crowd.of(8) { index -> Int in
            local.own.value += index
            Thread.pause(for: .milliseconds(5))
            return local.own.value
        }
        #expect(seen.sorted() == Array(0..<8))
        #expect(local.own.value == -1)
    }

    @Test("goes with its thread")
    func end() throws {
        let local = ThreadLocal(Guest())
        let thread = try Thread.spawn(name: "guest") { _ = local.own }
        thread.join()
        #expect(Guest.alive.load(ordering: .relaxed) == 0)
    }
}
