import POSIX
import Synchronization
import TestSupport
import Testing

@testable import GatehouseServer

@Suite("The value that counts now")
struct CurrentTests {
    private final class Edition: Sendable {
        static let made = Atomic(0)
        let number: Int

        init(_ number: Int) {
            self.number = number
            Self.made.add(1, ordering: .relaxed)
        }
    }

    @Test("is the next one for everybody once it has been replaced, with a copy for each processor")
    func replaced() throws {
        let current = Current { Edition(1) }
        #expect(Edition.made.load(ordering: .relaxed) == Processors.configured)
        #expect(try Crowd.of(8) { _ in current.value.number } == Array(repeating: 1, count: 8))
        current.replace { Edition(2) }
        #expect(Edition.made.load(ordering: .relaxed) == 2 * Processors.configured)
        #expect(try Crowd.of(8) { _ in current.value.number } == Array(repeating: 2, count: 8))
    }
}
