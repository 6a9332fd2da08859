import CLinux
import CVersion
import Glibc

/// The time of day, as set on this machine.
package enum WallClock {
    package static func millisecondsSince1970() -> Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}

package enum KernelClock {
    /// Whether a time service such as NTP keeps the clock synchronised; nil if the kernel does not tell.
    package static var isSynchronised: Bool? {
        var parameters = timex()
        let state = unsafe adjtimex(&parameters)
        return state < 0 ? nil : state != TIME_ERROR
    }

    /// The time of the kernel's clock in seconds since 1970, if a time service keeps it synchronised. It equals
    /// `WallClock`, unless a test gives this process a clock of its own.
    package static var synchronisedSeconds: Int64? {
        var parameters = timex()
        let state = unsafe adjtimex(&parameters)
        return state < 0 || state == TIME_ERROR ? nil : Int64(parameters.time.tv_sec)
    }
}

package enum MachineUptime {
    /// Names this run of the machine; nil if the kernel does not tell.
    package static let bootID: String? = {
        guard let file = unsafe fopen("/proc/sys/kernel/random/boot_id", "re") else { return nil }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 36)
        return unsafe fread(&bytes, 1, bytes.count, file) == bytes.count ? String(decoding: bytes, as: UTF8.self) : nil
    }()

    /// Whole seconds since the boot, also of those in which the machine was suspended. Setting the clock does not change
    /// them. Read without a system call.
    package static var seconds: Int64 { milliseconds / 1000 }

    package static var milliseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// A time on the monotonic clock, in whole milliseconds: for deadlines, not for dates.
package struct MonotonicTime: Sendable, Comparable {
    package let milliseconds: Int64

    /// Read from the coarse clock, which lags by up to 4 ms and is much cheaper to read.
    package static var now: MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return MonotonicTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The time left, as the timeout of a system call; 0 if this time has passed.
    package var millisecondsLeft: Int32 { Int32(clamping: max(0, milliseconds - Self.now.milliseconds)) }

    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        MonotonicTime(milliseconds: time.milliseconds + duration.wholeMilliseconds)
    }

    package static func < (earlier: MonotonicTime, later: MonotonicTime) -> Bool {
        earlier.milliseconds < later.milliseconds
    }
}

/// Measures elapsed time in nanoseconds. `MonotonicTime` is cheaper and less precise.
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

extension Duration {
    package var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}

/// The version that was passed to the build.
package enum BuiltVersion {
    /// Nil in a developer's build.
    package static var text: String? {
        let text = unsafe String(cString: gatehouse_version())
        return text.isEmpty ? nil : text
    }
}
