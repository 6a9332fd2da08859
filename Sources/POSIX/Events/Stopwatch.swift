import CLinux
import Glibc

/// Measures how long something takes, to the nanosecond: `MonotonicTime` is cheaper, and milliseconds off.
package struct Stopwatch: Sendable {
    private let start: Int64

    package init() {
        start = Self.now()
    }

    package var nanoseconds: Int { Int(Self.now() - start) }

    private static func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
