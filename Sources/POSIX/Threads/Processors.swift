import CLinux
import Glibc

/// The processors of the machine.
package enum Processors {
    /// How many this process may run on.
    package static var usable: Int {
        var set = cpu_set_t()
        guard unsafe sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0 else { return 1 }
        return max(1, unsafe withUnsafeBytes(of: &set) { unsafe $0.reduce(0) { $0 + $1.nonzeroBitCount } })
    }
}
