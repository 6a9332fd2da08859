import POSIX
import TestSupport
import Testing

@Suite("Striped counters")
struct StripedCountersTests {
    @Test("concurrent increments are all counted")
    func crowd() throws {
        let counters = StripedCounters(count: 3)
        _ = try Concurrently.run(16) { index in
            for _ in 0..<200_000 { counters.add(index % 2 + 1, to: 1) }
        }
        #expect(counters[1] == 8 * 200_000 + 8 * 400_000)
        #expect(counters[0] == 0)
        #expect(counters[2] == 0)
    }

    @Test("a decrement may run on another thread than the increment")
    func difference() throws {
        let counters = StripedCounters(count: 1)
        _ = try Concurrently.run(8) { index in
            for _ in 0..<1000 { counters.add(index < 4 ? 1 : -1, to: 0) }
        }
        #expect(counters[0] == 0)
        counters.add(-5, to: 0)
        #expect(counters[0] == -5)
    }
}
