import Glibc

/// How many files and sockets this process may have open.
package enum DescriptorLimit {
    /// As many as `raise` would get, and no less than there are now. Nothing is taken.
    package static var most: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_max)
    }

    /// Takes as many as the system allows without asking, and returns how many that is. The usual start is 1024, for
    /// the sake of programs that use select(2); we do not.
    package static func raise() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
