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
