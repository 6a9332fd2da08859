/// Tells the pool that a thread belongs to that the thread waits, so that another one can run meanwhile.
///
/// The code that waits need not know the pool, nor whether there is one: on any other thread the hint does nothing.
package enum BlockingHint {
    private final class Receiver {
        var willWait: (() -> Void)?
        var hasWaited: (() -> Void)?
        var depth = 0
    }

    private static let receiver = ThreadLocal(Receiver())

    /// Sets what happens on the calling thread before and after it waits.
    package static func set(before willWait: @escaping () -> Void, after hasWaited: @escaping () -> Void) {
        receiver.own.willWait = willWait
        receiver.own.hasWaited = hasWaited
    }

    package static func remove() {
        receiver.own.willWait = nil
        receiver.own.hasWaited = nil
    }

    /// For every wait that may last: for another thread, for the disk, for the network. One within another is part of that.
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
