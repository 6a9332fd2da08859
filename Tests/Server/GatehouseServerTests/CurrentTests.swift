import POSIX
import Synchronization
import TestSupport
import Testing

@testable import GatehouseServer

@Suite("A value that is replaced while it is read")
struct CurrentTests {
    private final class CountedValue: Sendable {
        static let count = Atomic(0)
        let number: Int

        init(_ number: Int) {
            self.number = number
            Self.count.add(1, ordering: .relaxed)
        }
    }

    @Test("every thread reads the new value after a replacement, from a copy for each processor")
    func replaced() throws {
        let current = Current { CountedValue(1) }
        #expect(CountedValue.count.load(ordering: .relaxed) == Processors.configured)
        #expect(try Concurrently.run(8) { _ in current.value.number } == Array(repeating: 1, count: 8))
        current.replace { CountedValue(2) }
        #expect(CountedValue.count.load(ordering: .relaxed) == 2 * Processors.configured)
        #expect(try Concurrently.run(8) { _ in current.value.number } == Array(repeating: 2, count: 8))
    }
}

@Suite("The buffer of random bytes")
struct RandomBufferTests {
    @Test(
        "any number of bytes can be taken, also more than the buffer holds", arguments: [0, 1, 16, 255, 256, 257, 5000])
    func count(_ count: Int) {
        let buffer = RandomBuffer()
        for _ in 0..<3 { #expect(buffer.take(count).count == count) }
    }

    @Test("no bytes are returned twice, on any thread")
    func unique() throws {
        let taken = try Concurrently.run(8) { _ in
            (0..<1500).map { turn in RandomBuffer.perThread.own.take(10 + turn % 3) }
        }
        let all = taken.flatMap(\.self)
        #expect(Set(all).count == all.count)
        #expect(Set(all.map { $0.prefix(10) }).count == all.count)
        // Among 12,000 results, each byte value occurs at the start and at the end.
        #expect(Set(all.map(\.first)).count == 256)
        #expect(Set(all.map(\.last)).count == 256)
    }
}
