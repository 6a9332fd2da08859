import POSIX
import TestSupport
import Testing

@testable import GatehouseServer

@Suite("Random bytes in stock")
struct RandomStockTests {
    @Test("as many as are asked for, also more than are ever in stock", arguments: [0, 1, 16, 255, 256, 257, 5000])
    func count(_ count: Int) {
        let stock = RandomStock()
        for _ in 0..<3 { #expect(stock.take(count).count == count) }
    }

    @Test("none is given twice, to whichever thread")
    func never() throws {
        let taken = try Crowd.of(8) { _ in (0..<500).map { turn in RandomStock.perThread.own.take(10 + turn % 3) } }
        let all = taken.flatMap(\.self)
        #expect(Set(all).count == all.count)
        #expect(Set(all.map { $0.prefix(10) }).count == all.count)
        // Of so many bytes each value is there, at either end of what is given.
        #expect(Set(all.map(\.first)).count == 256)
        #expect(Set(all.map(\.last)).count == 256)
    }
}
