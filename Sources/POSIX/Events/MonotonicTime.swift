import CLinux
import Glibc

/// A moment on the clock that nobody sets, in whole milliseconds: for deadlines, not for dates.
package struct MonotonicTime: Sendable, Comparable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Read from the coarse clock, which is 4 ms off at worst and costs next to nothing.
    package static var now: MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return MonotonicTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        MonotonicTime(milliseconds: time.milliseconds + duration.wholeMilliseconds)
    }

    package static func < (earlier: MonotonicTime, later: MonotonicTime) -> Bool {
        earlier.milliseconds < later.milliseconds
    }
}

extension Duration {
    package var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
