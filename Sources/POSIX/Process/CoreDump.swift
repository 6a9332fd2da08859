import CLinux
import Glibc

/// Whether the memory of this process, which holds secrets, can leave it.
package enum CoreDump {
    /// Lets neither the kernel write a core file nor another process of this user read this one's memory. A limit of 0 is
    /// not enough: where cores are piped into a program, the kernel ignores it. The process itself loses nothing.
    ///
    /// A change of user or group undoes the second half where `fs.suid_dumpable` is 1: call it again then.
    package static func forbid() throws(POSIXError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0 else {
            throw POSIXError("setrlimit RLIMIT_CORE")
        }
        guard gatehouse_set_dumpable(0) == 0 else { throw POSIXError("prctl PR_SET_DUMPABLE") }
    }
}
