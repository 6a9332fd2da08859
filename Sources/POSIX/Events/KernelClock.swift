import CLinux
import Glibc

/// What the kernel thinks of its own clock.
package enum KernelClock {
    /// Whether somebody keeps the clock right, by NTP for one; nil where the kernel does not tell.
    package static var isSynchronised: Bool? {
        var parameters = timex()
        let state = unsafe adjtimex(&parameters)
        return state < 0 ? nil : state != TIME_ERROR
    }
}
