import CLinux
import Glibc

/// A clock that makes its descriptor readable at every tick. It goes on when the tick has been taken.
package struct Ticker: ~Copyable, Sendable {
    package let descriptor: FileDescriptor

    package init(every interval: Duration) throws(POSIXError) {
        let timer = try FileDescriptor(
            takingOwnership: timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK)), from: "timerfd_create")
        let step = timespec(
            tv_sec: Int(interval.components.seconds), tv_nsec: Int(interval.components.attoseconds / 1_000_000_000))
        var rhythm = itimerspec(it_interval: step, it_value: step)
        guard unsafe timerfd_settime(timer.number, 0, &rhythm, nil) == 0 else {
            throw POSIXError("timerfd_settime")
        }
        descriptor = timer
    }

    /// Takes the tick, however many have gone by.
    package func take() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor.number, &count, MemoryLayout<UInt64>.size)
    }
}
