import POSIX
import TestSupport
import Testing

@Suite("Striped counters")
struct StripedCountersTests {
    @Test("lose nothing that many threads count at once")
    func crowd() throws {
        let counters = StripedCounters(count: 3)
        _ = try Crowd.of(16) { index in
            for _ in 0..<200_000 { counters.add(index % 2 + 1, to: 1) }
        }
        #expect(counters[1] == 8 * 200_000 + 8 * 400_000)
        #expect(counters[0] == 0)
        #expect(counters[2] == 0)
    }

    @Test("come back from below zero, whichever thread takes away")
    func difference() throws {
        let counters = StripedCounters(count: 1)
        _ = try Crowd.of(8) { index in
            for _ in 0..<1000 { counters.add(index < 4 ? 1 : -1, to: 0) }
        }
        #expect(counters[0] == 0)
        counters.add(-5, to: 0)
        #expect(counters[0] == -5)
    }
}
