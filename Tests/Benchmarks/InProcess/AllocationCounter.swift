import Glibc

/// Reads the count of the library that stands in front of malloc.
enum AllocationCounter {
    private typealias Reader = @convention(c) () -> UInt64

    /// Nil where that library has not been loaded.
    static var count: UInt64? {
        guard let symbol = dlsym(nil, "gatehouse_benchmark_allocations") else { return nil }
        return unsafeBitCast(symbol, to: Reader.self)()
    }
}
