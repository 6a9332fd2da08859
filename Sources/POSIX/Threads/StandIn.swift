/// How a thread that is about to wait for others has somebody else do meanwhile what it would do.
///
/// Who waits need not know who does the calling, nor whether anybody does: a thread without a call just waits.
package enum StandIn {
    private final class Call {
        var body: (() -> Void)?
    }

    private static let call = ThreadLocal(Call())

    /// Sets what the calling thread does before it waits; nil for nothing.
    package static func onWaiting(_ body: (() -> Void)?) {
        call.own.body = body
    }

    /// To be said before every wait that may last: for another thread, for the disk, for the network.
    package static func beforeWaiting() {
        call.own.body?()
    }
}
