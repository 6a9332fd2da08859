import Glibc

/// Reads the counter of the library that replaces malloc.
enum AllocationCounter {
    private typealias Reader = @convention(c) () -> UInt64

    /// Nil where the library is not loaded.
    static var count: UInt64? {
        guard let symbol = dlsym(nil, "gatehouse_benchmark_allocations") else { return nil }
        return unsafeBitCast(symbol, to: Reader.self)()
    }
}
