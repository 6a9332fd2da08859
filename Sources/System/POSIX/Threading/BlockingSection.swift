/// Work during which a thread may wait for another thread, the disk or the network. The worker pool of the thread lets
/// another worker run meanwhile, which the throughput of the server depends on.
///
/// The code that blocks does not need to know the pool. On a thread without a pool the work just runs.
package enum BlockingSection {
    private final class Hooks {
        var willBlock: (() -> Void)?
        var hasBlocked: (() -> Void)?
        var depth = 0
    }

    private static let hooks = ThreadLocal(Hooks())

    /// Sets what the pool does on the calling thread before and after each section.
    package static func set(before willBlock: @escaping () -> Void, after hasBlocked: @escaping () -> Void) {
        hooks.own.willBlock = willBlock
        hooks.own.hasBlocked = hasBlocked
    }

    package static func remove() {
        hooks.own.willBlock = nil
        hooks.own.hasBlocked = nil
    }

    /// Use it for every call that may block. A nested section does not notify the pool.
    package static func run<Result, Failure>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        let hooks = hooks.own
        if hooks.depth == 0 { hooks.willBlock?() }
        hooks.depth += 1
        defer {
            hooks.depth -= 1
            if hooks.depth == 0 { hooks.hasBlocked?() }
        }
        return try work()
    }
}
