import Synchronization

/// Numbers that many threads count up at once, and that somebody looks at now and then.
///
/// Each processor has a row of its own, as far as there are rows, so that no two of them fight for the same line of the
/// cache: counting costs what adding costs, and takes no lock and no memory. A number is the sum of its column. It may be
/// a moment behind what its neighbours say.
///
/// `@unchecked Sendable`: the memory lives as long as this does, and holds nothing but atomics.
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

    /// What goes below zero comes back by the same way: the sum is right.
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
