/// Tells a thread's worker pool that the thread is about to block, so that another worker can run.
///
/// The code that blocks does not need to know the pool. On a thread without a pool the hint does nothing.
package enum BlockingHint {
    private final class Receiver {
        var willWait: (() -> Void)?
        var hasWaited: (() -> Void)?
        var depth = 0
    }

    private static let receiver = ThreadLocal(Receiver())

    /// Sets the callbacks that run on the calling thread before and after it blocks.
    package static func set(before willWait: @escaping () -> Void, after hasWaited: @escaping () -> Void) {
        receiver.own.willWait = willWait
        receiver.own.hasWaited = hasWaited
    }

    package static func remove() {
        receiver.own.willWait = nil
        receiver.own.hasWaited = nil
    }

    /// Use it around every call that may block on another thread, the disk or the network. A nested call does nothing.
    package static func around<Result, Failure>(
        _ wait: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let receiver = receiver.own
        if receiver.depth == 0 { receiver.willWait?() }
        receiver.depth += 1
        defer {
            receiver.depth -= 1
            if receiver.depth == 0 { receiver.hasWaited?() }
        }
        return try wait()
    }
}
