import CLinux
import FileSystem
import Glibc
package import POSIX

/// The resource usage of this process. A value that the kernel does not provide is nil.
package struct ProcessUsage: Sendable {
    package let cpuSeconds: Double?
    package let residentBytes: Int?
    package let virtualBytes: Int?
    package let openDescriptors: Int?
    package let descriptorLimit: Int?
    package let threads: Int?

    package init() {
        cpuSeconds = Self.cpuTime()
        let pages = Self.numbers(in: "/proc/self/statm")
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        virtualBytes = pages.first.map { $0 * pageSize }
        residentBytes = pages.dropFirst().first.map { $0 * pageSize }
        // The count includes the descriptor with which the folder is read.
        openDescriptors = Self.entries(of: "/proc/self/fd").map { max(0, $0 - 1) }
        descriptorLimit = Self.softDescriptorLimit()
        threads = Self.entries(of: "/proc/self/task")
    }

    private static func cpuTime() -> Double? {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
        let (user, system) = (usage.ru_utime, usage.ru_stime)
        let microseconds: Int = user.tv_usec + system.tv_usec
        return Double(user.tv_sec + system.tv_sec) + Double(microseconds) / 1_000_000
    }

    private static func numbers(in path: String) -> [Int] {
        guard let bytes = try? File.read(path, atMost: 4096) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
    }

    private static func entries(of folder: String) -> Int? {
        guard let directory = unsafe opendir(folder) else { return nil }
        defer { unsafe closedir(directory) }
        var count = 0
        while unsafe readdir(directory) != nil { count += 1 }
        // Without `.` and `..`.
        return count - 2
    }

    private static func softDescriptorLimit() -> Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }
}

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

/// The environment variables of this process.
package enum ProcessEnvironment {
    package static func variables() -> [String: String] {
        var result: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let pair = unsafe String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { result[String(pair[0])] = String(pair[1]) }
            unsafe entry += 1
        }
        return result
    }

    /// For libraries, which read the environment themselves. Must be called while the process has one thread.
    package static func set(_ name: String, to value: String) {
        unsafe setenv(name, value, 1)
    }
}
