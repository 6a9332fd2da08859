import POSIX
import TestSupport
import Testing

@testable import GatehouseServer

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
