/// Work during which a thread may wait for another thread, the disk or the network. The worker pool of the thread lets
/// another worker run meanwhile, which the throughput of the server depends on.
///
/// The code that blocks does not need to know the pool. On a thread without a pool the work just runs.
package enum BlockingSection {
    private final class Pool {
        var willBlock: (() -> Void)?
        var hasBlocked: (() -> Void)?
        var depth = 0
    }

    private static let pool = ThreadLocal(Pool())

    /// Sets what the pool does on the calling thread before and after each section.
    package static func set(before willBlock: @escaping () -> Void, after hasBlocked: @escaping () -> Void) {
        pool.own.willBlock = willBlock
        pool.own.hasBlocked = hasBlocked
    }

    package static func remove() {
        pool.own.willBlock = nil
        pool.own.hasBlocked = nil
    }

    /// Use it for every call that may block. A section within another tells the pool nothing.
    package static func run<Result, Failure>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        let pool = pool.own
        if pool.depth == 0 { pool.willBlock?() }
        pool.depth += 1
        defer {
            pool.depth -= 1
            if pool.depth == 0 { pool.hasBlocked?() }
        }
        return try work()
    }
}
