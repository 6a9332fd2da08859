/// Tells the pool that a thread belongs to that the thread is about to wait, so that another one can run meanwhile.
///
/// The code that waits need not know the pool, nor whether there is one: on any other thread the hint does nothing.
package enum BlockingHint {
    private final class Receiver {
        var body: (() -> Void)?
    }

    private static let receiver = ThreadLocal(Receiver())

    /// Sets what happens on the calling thread before it waits; nil for nothing.
    package static func set(_ body: (() -> Void)?) {
        receiver.own.body = body
    }

    /// To be called before every wait that may last: for another thread, for the disk, for the network.
    package static func give() {
        receiver.own.body?()
    }
}
