import CLinux
import Glibc

/// The processors of the machine.
package enum Processors {
    /// The number of processors that this process may use.
    package static var usable: Int {
        var set = cpu_set_t()
        guard unsafe sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0 else { return 1 }
        return max(1, unsafe withUnsafeBytes(of: &set) { unsafe $0.reduce(0) { $0 + $1.nonzeroBitCount } })
    }

    /// The number of processors of the machine, at most 64. It sizes per-processor data, which
    /// further processors share.
    package static let configured = max(1, min(64, sysconf(Int32(_SC_NPROCESSORS_CONF))))

    /// The processor on which the calling thread currently runs.
    package static var current: Int { max(0, Int(sched_getcpu())) }
}
