import CLinux
import Glibc
package import POSIX

/// The limit on open files and sockets of this process.
package enum DescriptorLimit {
    /// The limit that `raise` would set.
    package static var maximum: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_max)
    }

    /// Raises the soft limit to the hard limit, and returns the new limit. The usual soft limit is 1024, for programs
    /// that use select(2); this one does not.
    package static func raise() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}

/// Protects the memory of this process, which holds secrets.
package enum CoreDump {
    /// The kernel writes no core file, and no other process of this user can read this one's memory. A core limit of 0
    /// is not enough: the kernel ignores it if cores are piped into a program.
    ///
    /// A change of user or group undoes this if `fs.suid_dumpable` is 1. Call it again after such a change.
    package static func forbid() throws(POSIXError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0 else {
            throw POSIXError("setrlimit RLIMIT_CORE")
        }
        guard gatehouse_set_dumpable(0) == 0 else { throw POSIXError("prctl PR_SET_DUMPABLE") }
    }
}

/// The heap of the C library.
package enum Heap {
    /// Limits the number of malloc arenas, so that memory freed by one thread can be used by another. The default is
    /// eight for each processor. Call it before threads are started.
    package static func shareArenas(_ count: Int) {
        mallopt(Int32(M_ARENA_MAX), Int32(clamping: count))
    }
}
