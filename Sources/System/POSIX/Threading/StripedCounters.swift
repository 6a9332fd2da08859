import Synchronization

/// Counters that many threads increment concurrently and that are read rarely.
///
/// Each processor has a row of counters in cache lines of its own, so that processors do not contend for a cache line.
/// Counting takes no lock and allocates nothing. The value of a counter is the sum over all rows; values of several
/// counters are not read at the same instant.
///
/// `@unchecked Sendable`: the memory lives as long as this object and holds only atomics.
@safe
package final class StripedCounters: @unchecked Sendable {
    private static let numbersInCacheLine = 8

    package let count: Int
    private let rows: Int
    private let stride: Int
    private let numbers: UnsafeMutablePointer<Atomic<UInt64>>

    package init(count: Int) {
        self.count = count
        rows = Processors.configured
        // Rows begin and end in cache lines of their own.
        stride = (count / Self.numbersInCacheLine + 2) * Self.numbersInCacheLine
        unsafe numbers = .allocate(capacity: rows * stride)
        for index in 0..<rows * stride { unsafe (numbers + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe numbers.deinitialize(count: rows * stride)
        unsafe numbers.deallocate()
    }

    /// A row may wrap below zero if another row has counted up; the sum is still correct.
    package func add(_ amount: Int, to index: Int) {
        precondition(index >= 0 && index < count)
        let place = Processors.current % rows * stride + index
        unsafe numbers[place].wrappingAdd(UInt64(bitPattern: Int64(amount)), ordering: .relaxed)
    }

    package subscript(index: Int) -> Int {
        precondition(index >= 0 && index < count)
        var sum: UInt64 = 0
        for row in 0..<rows { unsafe sum &+= numbers[row * stride + index].load(ordering: .relaxed) }
        return Int(Int64(bitPattern: sum))
    }
}
