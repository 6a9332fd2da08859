/// How a thread that is about to wait for others has somebody else do meanwhile what it would do.
///
/// Who waits need not know who does the calling, nor whether anybody does: a thread without a call just waits.
package enum StandIn {
    /// A closure by itself would be wrapped anew each time that it goes through something generic.
    private struct Call {
        let body: () -> Void
    }

    private static let call = ThreadLocal<Call?>(nil)

    /// Sets what the calling thread does before it waits; nil for nothing.
    package static func onWaiting(_ body: (() -> Void)?) {
        call.with { $0 = body.map(Call.init) }
    }

    /// To be said before every wait that may last: for another thread, for the disk, for the network.
    package static func beforeWaiting() {
        call.with { $0 }?.body()
    }
}
