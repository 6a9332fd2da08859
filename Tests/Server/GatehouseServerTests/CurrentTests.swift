import Foundation
import POSIX
import Synchronization
import TestSupport
import Testing

@testable import GatehouseServer

@Suite("A value that is replaced while it is read")
struct CurrentTests {
    private final class Number: Sendable {
        let value: Int

        init(_ value: Int) { self.value = value }
    }

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

    @Test("no thread reads an old value after another one has read the new one")
    func replacedAtOnce() throws {
        let current = Current { Number(0) }
        let seen = Mutex(0)
        let isDone = Atomic(false)
        let reads = Atomic(0)
        let readers = (0..<4).map { _ in
            Background {
                var late: UInt8 = 0
                while !isDone.load(ordering: .relaxed) {
                    let before = seen.withLock(\.self)
                    let number = current.value.value
                    if number < before { late = 1 }
                    seen.withLock { $0 = max($0, number) }
                    reads.add(1, ordering: .relaxed)
                }
                return [late]
            }
        }
        for number in 1...600 {
            current.replace {
                // While services are built, requests go on.
                let before = reads.load(ordering: .relaxed)
                _ = Eventually.holds(every: 0.0001) { reads.load(ordering: .relaxed) > before + 8 }
                return Number(number)
            }
        }
        isDone.store(true, ordering: .relaxed)
        #expect(readers.map { $0.result() } == Array(repeating: [0], count: 4))
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
