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

    /// How many the machine has, whoever may run on them; at most 64, beyond which they share what each has for itself.
    package static let configured = max(1, min(64, sysconf(Int32(_SC_NPROCESSORS_CONF))))

    /// The number of the one that the calling thread runs on, at this moment.
    package static var current: Int { max(0, Int(sched_getcpu())) }
}
